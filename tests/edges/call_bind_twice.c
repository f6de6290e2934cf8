/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads bind one address; the first thread counts on being the one that gets it. Natively, with pauses, it
 * failed in 214 of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "twice.sock"};

static void *server(void *must)
{
  int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  int failed = bind(fd, (struct sockaddr *)&address, sizeof address);
  assert(!failed || !must);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  unlink("twice.sock");
  pthread_create(&thread[0], NULL, server, &address);
  pthread_create(&thread[1], NULL, server, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  unlink("twice.sock");
  return 0;
}
