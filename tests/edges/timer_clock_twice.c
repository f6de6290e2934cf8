/* SPDX-License-Identifier: Apache-2.0
 *
 * Main trusts that less than a millisecond passes between two looks at the clock. Nothing promises that: a thread
 * that sleeps for longer may well wake up in between. Natively, with pauses, it failed in 150 of 200 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static void *sleeper(void *unused)
{
  usleep(2000);
  return unused;
}

static long nanoseconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, sleeper, NULL);
  long before = nanoseconds();
  long after = nanoseconds();
  pthread_join(thread, NULL);
  assert(after - before < 1000000);
  return 0;
}
