/* SPDX-License-Identifier: Apache-2.0
 *
 * A semaphore by hand, with one permit less than there are threads; each goes down and up once. Up adds the permit in
 * one critical section and then asks, outside it, whether it was the first one: only then it wakes somebody. If all but
 * one are inside, the last one waits, and two go up before either asks, both see 2 and nobody wakes him. With two
 * threads there are never two who go up. In the twin up always signals, inside.
 *
 * verdict: deadlock
 * also: race
 * impossible: 2
 */
#include "threads.h"
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t positive = PTHREAD_COND_INITIALIZER;
static int value;

static void down(void)
{
  pthread_mutex_lock(&lock);
  while (value == 0)
    pthread_cond_wait(&positive, &lock);
  value--;
  pthread_mutex_unlock(&lock);
}

static void up(void)
{
  pthread_mutex_lock(&lock);
  value++;
#ifdef FIXED
  pthread_cond_signal(&positive);
  pthread_mutex_unlock(&lock);
#else
  pthread_mutex_unlock(&lock);
  if (value == 1) {
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&positive);
    pthread_mutex_unlock(&lock);
  }
#endif
}

static void down_and_up(int number)
{
  (void)number;
  down();
  up();
}

int main(int argc, char **argv)
{
  int n = thread_count(argc, argv);

  value = n - 1;
  run_threads(n, down_and_up);
  assert(value == n - 1);
  return 0;
}
