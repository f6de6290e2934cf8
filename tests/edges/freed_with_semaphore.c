/* SPDX-License-Identifier: Apache-2.0
 *
 * Main frees a block with a semaphore as soon as another one is posted; the thread posts the one in the block after that.
 * Nothing in the block is read or written but by the semaphore's functions.
 *
 * verdict: found
 * kind: memory
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t ready, *last;

static void *work(void *unused)
{
  sem_t *own = last;
  sem_post(&ready);
  sem_post(own);
  return unused;
}

int main(void)
{
  pthread_t thread;
  last = malloc(sizeof *last);
  if (!last)
    return 0;
  sem_init(&ready, 0, 0);
  sem_init(last, 0, 0);
  pthread_create(&thread, NULL, work, NULL);
  sem_wait(&ready);
  free(last);
  pthread_join(thread, NULL);
  return 0;
}
