/* SPDX-License-Identifier: Apache-2.0
 *
 * The worker reads from a slow device (here: a point where it can be cancelled) while it holds the lock. Main loses
 * patience and cancels it. If that strikes during the read, the worker is gone, the lock is still taken, and main
 * waits for it for ever. The twin leaves a cleanup handler that unlocks.
 *
 * verdict: deadlock
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int values_read;

static void slow_read(void)
{
  pthread_testcancel();
}

#ifdef FIXED
static void unlock(void *mutex)
{
  pthread_mutex_unlock(mutex);
}
#endif

static void *worker(void *arg)
{
  pthread_mutex_lock(&lock);
#ifdef FIXED
  pthread_cleanup_push(unlock, &lock);
#endif
  slow_read();
  values_read++;
#ifdef FIXED
  pthread_cleanup_pop(1);
#else
  pthread_mutex_unlock(&lock);
#endif
  return arg;
}

int main(void)
{
  pthread_t thread;

  pthread_create(&thread, NULL, worker, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&lock);
  assert(values_read <= 1);
  pthread_mutex_unlock(&lock);
  return 0;
}
