/* SPDX-License-Identifier: Apache-2.0
 *
 * CountedUnderLock: the counter is changed without its lock where the thread waits for the condition only once. Fixed:
 * the lock is given back after the change. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int counter, ready;

static void *waiter(void *unused)
{
  pthread_mutex_lock(&lock);
  while (!ready)
    pthread_cond_wait(&changed, &lock);
#ifdef FIXED
  counter++;
  pthread_mutex_unlock(&lock);
#else
  pthread_mutex_unlock(&lock);
  counter++;
#endif
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, waiter, NULL);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
