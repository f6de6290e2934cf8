/* SPDX-License-Identifier: Apache-2.0
 *
 * "Try to lock, do the work, unlock if we had the lock." The programmer remembered for the unlock that trylock can
 * fail, but not for the work, which is then done beside the one who holds the lock. The twin comes back later.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int at_work;

static void work(void)
{
  assert(atomic_fetch_add(&at_work, 1) == 0);
  atomic_fetch_sub(&at_work, 1);
}

static void *worker(void *arg)
{
  int busy = pthread_mutex_trylock(&lock);

#ifdef FIXED
  if (busy) {
    pthread_mutex_lock(&lock);
    busy = 0;
  }
#endif
  work();
  if (!busy)
    pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, worker, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
