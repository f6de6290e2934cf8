/* SPDX-License-Identifier: Apache-2.0
 *
 * A sequence lock: the number is odd while the writer writes. The reader waits for an even number, reads the hour
 * and the minute, and forgets to look whether the number is still the same. If the clock strikes in between, it reads
 * 1:00 or 2:59, and never mind that each half was right. The halves are atomic, so there is no data race.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int hour = 1;
static atomic_int minute = 59;

static void *strike(void *arg)
{
  sequence++;
  hour = 2;
  minute = 0;
  sequence++;
  return arg;
}

int main(void)
{
  pthread_t clock;
  unsigned before;
  int h, m;

  pthread_create(&clock, NULL, strike, NULL);
  do {
    while ((before = sequence) % 2 == 1)
      sched_yield();
    h = hour;
    m = minute;
#ifdef FIXED
  } while (sequence != before);
#else
  } while (0);
#endif
  assert((h == 1 && m == 59) || (h == 2 && m == 0));
  pthread_join(clock, NULL);
  return 0;
}
