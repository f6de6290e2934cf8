/* SPDX-License-Identifier: Apache-2.0
 *
 * Two workers lose an update while main waits in accept; a third thread notices. Natively, with pauses, 5 of 5 runs
 * hung.
 *
 * verdict: find
 */
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

static atomic_int count;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&count, atomic_load(&count) + 1);
  return NULL;
}

static void *supervisor(void *unused)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(atomic_load(&count) == 2);
  return unused;
}

int main(void)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f};
  pthread_t thread;
  int server = socket(AF_INET, SOCK_STREAM, 0);
  bind(server, (struct sockaddr *)&address, sizeof address);
  listen(server, 4);
  pthread_create(&thread, NULL, supervisor, NULL);
  accept(server, NULL, NULL);
  return 0;
}
