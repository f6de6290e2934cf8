/* SPDX-License-Identifier: Apache-2.0
 *
 * Between two critical sections of a hand-written lock another thread may come in. gcc's -fipa-reference forgets that:
 * it would make one access of both, and the failing order could not be seen.
 * verdict: assertion
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic unsigned lock;
static unsigned value;

static __attribute__((noinline)) void take(_Atomic unsigned *l)
{
  while (atomic_exchange(l, 1))
    sched_yield();
}

static __attribute__((noinline)) void give(_Atomic unsigned *l)
{
  atomic_exchange(l, 0);
}

static void *work(void *arg)
{
  take(&lock);
  value = 256;
  give(&lock);
  take(&lock);
  value ^= 5;
  give(&lock);
  return arg;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  take(&lock);
  assert(value != 256);
  give(&lock);
  pthread_join(thread, NULL);
  return 0;
}
