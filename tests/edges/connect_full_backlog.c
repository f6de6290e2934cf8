/* SPDX-License-Identifier: Apache-2.0
 *
 * Four clients connect to a Unix socket with room for one; the server takes them one after the other. No failure in
 * 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "full.sock"};

static void *client(void *unused)
{
  (void)unused;
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  assert(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread[4];
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink("full.sock");
  assert(bind(server, (struct sockaddr *)&address, sizeof address) == 0);
  assert(listen(server, 0) == 0);
  for (int i = 0; i < 4; i++)
    pthread_create(&thread[i], NULL, client, NULL);
  for (int i = 0; i < 4; i++)
    close(accept(server, NULL, NULL));
  for (int i = 0; i < 4; i++)
    pthread_join(thread[i], NULL);
  close(server);
  unlink("full.sock");
  return 0;
}
