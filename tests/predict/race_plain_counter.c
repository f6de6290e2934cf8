/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads count in one variable, and nothing orders them. Every run shows it to happens-before. Fixed: a lock.
 *
 * verdict: race
 * truth: races=1 deadlocks=0 atomicity=1
 * foretold: races=1 proven=1 atomicity=1
 */
#include <pthread.h>

static int counter;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *count(void *unused)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  counter++;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, count, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
