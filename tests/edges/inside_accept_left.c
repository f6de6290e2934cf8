/* SPDX-License-Identifier: Apache-2.0
 *
 * Two workers each accept one connection, but there is only one client, in the same program: one of them waits for good,
 * and main for it. Nobody outside is meant by that address.
 *
 * verdict: found
 * kind: deadlock
 * expect-text: nobody is left to connect to it
 */
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static int server;
static struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f, .sin_port = 0x901f};

static void *worker(void *unused)
{
  (void)unused;
  close(accept(server, NULL, NULL));
  return NULL;
}

static void *client(void *unused)
{
  (void)unused;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  connect(fd, (struct sockaddr *)&address, sizeof address);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread[3];
  server = socket(AF_INET, SOCK_STREAM, 0);
  bind(server, (struct sockaddr *)&address, sizeof address);
  listen(server, 4);
  pthread_create(&thread[0], NULL, worker, NULL);
  pthread_create(&thread[1], NULL, worker, NULL);
  pthread_create(&thread[2], NULL, client, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(thread[i], NULL);
  close(server);
  return 0;
}
