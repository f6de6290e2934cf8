/* SPDX-License-Identifier: Apache-2.0
 *
 * A server looks for a connection every ten milliseconds; its client, a thread of the program, sleeps for some seconds before
 * it connects. However often the server looks in vain, nobody outside is waited for.
 *
 * verdict: quiet
 * options: --sleeps exact
 * expect-text: no bug found
 */
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "late.sock"};

static void *client(void *unused)
{
  (void)unused;
  sleep(5);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  connect(fd, (struct sockaddr *)&address, sizeof address);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  bind(server, (struct sockaddr *)&address, sizeof address);
  listen(server, 4);
  pthread_create(&thread, NULL, client, NULL);
  struct pollfd set = {.fd = server, .events = POLLIN};
  while (poll(&set, 1, 10) == 0)
    ;
  close(accept(server, NULL, NULL));
  pthread_join(thread, NULL);
  return 0;
}
