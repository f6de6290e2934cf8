/* SPDX-License-Identifier: Apache-2.0
 *
 * The predicate is there, it is atomic, and it is tested in a loop; but it is set without the mutex. The waiter
 * finds `ready` false and is about to wait; now the other thread sets it and signals, to nobody; then the waiter
 * goes to sleep on news that has already passed. Holding the mutex while setting the flag closes the gap.
 *
 * verdict: deadlock
 * threads: 2
 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *waiter(void *arg)
{
  pthread_mutex_lock(&lock);
  while (!ready)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t thread;

  pthread_create(&thread, NULL, waiter, NULL);
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  ready = 1;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  pthread_cond_signal(&changed);
  pthread_join(thread, NULL);
  return 0;
}
