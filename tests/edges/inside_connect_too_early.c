/* SPDX-License-Identifier: Apache-2.0
 *
 * The client does not try again when it comes before the server listens, which then waits for it in vain: the program
 * itself wanted to talk to that address, so nobody outside is meant.
 *
 * verdict: found
 * kind: deadlock
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "early.sock"};

static void *client(void *unused)
{
  (void)unused;
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  connect(fd, (struct sockaddr *)&address, sizeof address);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  pthread_create(&thread, NULL, client, NULL);
  bind(server, (struct sockaddr *)&address, sizeof address);
  listen(server, 4);
  close(accept(server, NULL, NULL));
  pthread_join(thread, NULL);
  return 0;
}
