/* SPDX-License-Identifier: Apache-2.0
 *
 * Who waits has said so before. Who changes what is waited for signals before the mutex is free again, so that a wait
 * that ends for no reason finds everything as it was.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, waiters;

static void *waiter(void *unused)
{
  pthread_mutex_lock(&lock);
  waiters++;
  while (!ready)
    pthread_cond_wait(&changed, &lock);
  waiters--;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, waiter, NULL);
  pthread_mutex_lock(&lock);
  int seen = waiters;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  assert(!seen || waiters == 1);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
