/* SPDX-License-Identifier: Apache-2.0
 *
 * Philosophers who take their left fork first: a deadlock of all, of which two stay if there are two forks.
 */
#include <pthread.h>

#define THREADS 6
#define CALLS 4
#define FORKS 2

static pthread_mutex_t fork_lock[FORKS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int meals[THREADS];

__attribute__((noinline)) static void table_eat(int me)
{
  int first = me % FORKS, second = (me + 1) % FORKS;
#ifdef FIXED
  if (first > second) {
    first = 0;
    second = 1;
  }
#endif
  pthread_mutex_lock(&fork_lock[first]);
  pthread_mutex_lock(&fork_lock[second]);
  meals[me]++;
  pthread_mutex_unlock(&fork_lock[second]);
  pthread_mutex_unlock(&fork_lock[first]);
}

static void *philosopher(void *arg)
{
  for (int i = 0; i < CALLS; i++)
    table_eat((int)(long)arg);
  return NULL;
}

int main(void)
{
  pthread_t thread[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, philosopher, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
