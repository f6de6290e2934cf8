/* SPDX-License-Identifier: Apache-2.0
 *
 * Whoever needs a lock of the table first makes it, so which thread makes which is up to the schedule. The calls that led to
 * a lock, each with how often the thread made it, are not the same in another run; the place alone is.
 *
 * There is no bug, and no twin.
 *
 * verdict: none
 * threads: 3
 * predicted: 0
 * real: 0
 */
#include <pthread.h>
#include <stdlib.h>

#define SLOTS 4

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *slot[SLOTS];

static pthread_mutex_t *lock_of(int i)
{
  pthread_mutex_lock(&table_lock);
  if (!slot[i]) {
    slot[i] = malloc(sizeof *slot[i]);
    if (!slot[i])
      abort();
    pthread_mutex_init(slot[i], NULL);
  }
  pthread_mutex_unlock(&table_lock);
  return slot[i];
}

static void *worker(void *arg)
{
  for (int i = 0; i < SLOTS; i++) {
    pthread_mutex_t *lock = lock_of(i);
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
  }
  return arg;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < SLOTS; i++)
    free(slot[i]);
  return 0;
}
