/* SPDX-License-Identifier: Apache-2.0
 *
 * A logger takes datagrams until one that says the end, which nobody sends: both senders are of the program, and gone.
 *
 * verdict: found
 * kind: deadlock
 * expect-text: left to send to it
 */
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "log.sock"};

int main(void)
{
  char line = 0;
  int log = socket(AF_UNIX, SOCK_DGRAM, 0);
  unlink("log.sock");
  bind(log, (struct sockaddr *)&address, sizeof address);
  for (int i = 0; i < 2; i++)
    if (!fork()) {
      int to = socket(AF_UNIX, SOCK_DGRAM, 0);
      sendto(to, "a", 1, 0, (struct sockaddr *)&address, sizeof address);
      _exit(0);
    }
  while (line != '.')
    recv(log, &line, 1, 0);
  while (wait(NULL) > 0)
    ;
  return 0;
}
