/* SPDX-License-Identifier: Apache-2.0
 *
 * ConditionMutex: two threads wait on one condition variable, each with a mutex of its own. Fixed: with the same. */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready[2];

static void *waiter(void *argument)
{
  bool *mine = argument;
#ifdef FIXED
  pthread_mutex_t *with = &lock[0];
#else
  pthread_mutex_t *with = &lock[mine - ready];
#endif
  pthread_mutex_lock(with);
  while (!*mine)
    pthread_cond_wait(&changed, with);
  pthread_mutex_unlock(with);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, waiter, &ready[i]);
  pthread_mutex_lock(&lock[0]);
  pthread_mutex_lock(&lock[1]);
  ready[0] = ready[1] = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock[1]);
  pthread_mutex_unlock(&lock[0]);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
