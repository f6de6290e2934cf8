/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads that were started at different places each make a lock of their own, by the same statement. By that alone the
 * locks are one; with the place where their creator was made they are two.
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

static void *worker(void *arg)
{
  pthread_mutex_t *lock = malloc(sizeof *lock);
  if (!lock)
    abort();
  pthread_mutex_init(lock, NULL);
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  free(lock);
  return arg;
}

int main(void)
{
  pthread_t first, second;
  pthread_create(&first, NULL, worker, NULL);
  pthread_create(&second, NULL, worker, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
