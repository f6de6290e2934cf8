/* SPDX-License-Identifier: Apache-2.0
 *
 * A client connects to a socket that the server thread may not have bound yet. Natively, with pauses, it failed in 927
 * of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "early.sock"};

static void *server(void *unused)
{
  (void)unused;
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  bind(fd, (struct sockaddr *)&address, sizeof address);
  listen(fd, 4);
  return (void *)(long)fd;
}

int main(void)
{
  pthread_t thread;
  void *listening;
  unlink("early.sock");
  pthread_create(&thread, NULL, server, NULL);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  int failed = connect(fd, (struct sockaddr *)&address, sizeof address);
  pthread_join(thread, &listening);
  close(fd);
  close((int)(long)listening);
  unlink("early.sock");
  assert(!failed);
  return 0;
}
