/* SPDX-License-Identifier: Apache-2.0
 *
 * All threads but one set a = 1 and b = -1, the last one checks that either both are set or none is. Nothing keeps the
 * check from falling between the two. Once one of the setters is through, nothing can be wrong any more. No lock is
 * used; in the twin there is one.
 *
 * verdict: assertion
 * also: race
 */
#include "threads.h"
#include <assert.h>

static int threads;
static int a, b;

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static void set(void)
{
  LOCK();
  a = 1;
  b = -1;
  UNLOCK();
}

static void check(void)
{
  LOCK();
  int a_seen = a;
  int b_seen = b;
  UNLOCK();
  assert((a_seen == 0 && b_seen == 0) || (a_seen == 1 && b_seen == -1));
}

static void set_or_check(int number)
{
  if (number < threads - 1)
    set();
  else
    check();
}

int main(int argc, char **argv)
{
  threads = thread_count(argc, argv);
  run_threads(threads, set_or_check);
  return 0;
}
