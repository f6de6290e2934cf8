/* SPDX-License-Identifier: Apache-2.0
 *
 * Each thread counts into its own counter, and the destructor of the thread-specific data adds that to the shared
 * statistics. The worker says "done" as its last statement, and main frees the statistics; but the destructor runs
 * after the last statement, and adds to freed memory. Only a join waits for the destructors too.
 *
 * verdict: memory
 * also: race
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct statistics {
  int events;
};

static struct statistics *statistics;
static pthread_key_t key;
static sem_t done;

static void add_to_statistics(void *counter)
{
  statistics->events += *(int *)counter;
}

static void *worker(void *counter)
{
  pthread_setspecific(key, counter);
  (*(int *)pthread_getspecific(key))++;
  sem_post(&done);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int counter = 0;

  statistics = calloc(1, sizeof *statistics);
  assert(statistics != NULL);
  sem_init(&done, 0, 0);
  pthread_key_create(&key, add_to_statistics);
  pthread_create(&thread, NULL, worker, &counter);
  sem_wait(&done);
#ifdef FIXED
  pthread_join(thread, NULL);
  assert(statistics->events == 1);
#endif
  free(statistics);
#ifndef FIXED
  pthread_join(thread, NULL);
#endif
  pthread_key_delete(key);
  sem_destroy(&done);
  return 0;
}
