/* SPDX-License-Identifier: Apache-2.0
 *
 * Everybody increments a number under a lock, and checks that it grew by one. But one half of the threads lock the
 * number's lock, the other half a lock of their own kind. In the twin all use the number's lock.
 *
 * verdict: assertion
 * also: race
 */
#include "threads.h"
#include <assert.h>

static pthread_mutex_t lock_of_number = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock_of_kind = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void increment_under(pthread_mutex_t *lock)
{
  pthread_mutex_lock(lock);
  int before = number;
  number++;
  assert(number == before + 1);
  pthread_mutex_unlock(lock);
}

static void increment(int thread)
{
#ifdef FIXED
  (void)lock_of_kind;
  (void)thread;
  increment_under(&lock_of_number);
#else
  increment_under(thread % 2 == 0 ? &lock_of_number : &lock_of_kind);
#endif
}

int main(int argc, char **argv)
{
  int n = thread_count(argc, argv);

  run_threads(n, increment);
  assert(number == n);
  return 0;
}
