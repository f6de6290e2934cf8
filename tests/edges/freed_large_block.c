/* SPDX-License-Identifier: Apache-2.0
 *
 * Main frees a large block as soon as a semaphore is posted; the thread writes to it after that, and nobody else does.
 *
 * verdict: found
 * kind: memory
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t ready;
static char *volatile block;

static void *work(void *unused)
{
  volatile char *own = block;
  sem_post(&ready);
  own[5] = 1;
  return unused;
}

int main(void)
{
  pthread_t thread;
  block = malloc(1 << 20);
  if (!block)
    return 0;
  sem_init(&ready, 0, 0);
  pthread_create(&thread, NULL, work, NULL);
  sem_wait(&ready);
  free(block);
  pthread_join(thread, NULL);
  return 0;
}
