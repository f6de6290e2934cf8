/* SPDX-License-Identifier: Apache-2.0
 *
 * Who waits has said so before, and who signals has seen it, lets others have the mutex, and takes it again to signal.
 * If the wait ends for no reason in between, the number that was seen is no longer true.
 *
 * verdict: find
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
  ready = 1;
  int seen = waiters;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  assert(!seen || waiters == 1);
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
