/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers.
 */
#include "case.h"

static pthread_barrier_t b;
static int serials, data[3];

static void make(unsigned count)
{
  RETURNS(0, pthread_barrier_init, &b, NULL, count);
}

static bool wait_there(void)
{
  int result = pthread_barrier_wait(&b);
  EXPECT(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
  SEE("pthread_barrier_wait", "proceeds");
  return result == PTHREAD_BARRIER_SERIAL_THREAD;
}

static void wait_it(void)
{
  wait_there();
}

CASE(pthread_barrier_init, counts, proceeds, EINVAL)
{
  make(1);
  EXPECT(wait_there());
  EXPECT(wait_there());
  RETURNS(0, pthread_barrier_destroy, &b);
  RETURNS(EINVAL, pthread_barrier_init, &b, NULL, 0);
}

CASE(pthread_barrier_init, shared_attribute)
{
  pthread_barrierattr_t attr;
  pthread_barrierattr_init(&attr);
  EXPECT(pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
  RETURNS(0, pthread_barrier_init, &b, &attr, 2);
  blocks_until("pthread_barrier_wait", wait_it, wait_it);
}

MISUSE(pthread_barrier_init, awaited, "initialises a barrier that threads wait at")
{
  make(2);
  start_call(wait_it);
  let_others_run();
  pthread_barrier_init(&b, NULL, 2);
  exit(0);
}

CASE(pthread_barrier_wait, until_all_are_there, blocks)
{
  make(2);
  blocks_until("pthread_barrier_wait", wait_it, wait_it);
}

static void *wait_as(void *index)
{
  int i = (int)(long)index;
  char label[] = "serial_0";
  data[i] = 1;
  if (wait_there()) {
    label[7] = (char)('0' + i);
    SEE("pthread_barrier_wait", label);
    ADD(serials);
  }
  EXPECT(data[0] + data[1] + data[2] == 3);
  return NULL;
}

CASE(pthread_barrier_wait, any_one_is_serial, serial_0, serial_1, serial_2)
{
  make(3);
  pthread_t one = start(wait_as, (void *)1), two = start(wait_as, (void *)2);
  wait_as(NULL);
  finish(one);
  finish(two);
  EXPECT(serials == 1);
}

static int at[2];

static void *go_on_together(void *index)
{
  int i = (int)(long)index;
  for (int round = 1; round <= 3; round++) {
    at[i] = round;
    wait_there();
    EXPECT(at[!i] == round);
    wait_there();
  }
  return NULL;
}

CASE(pthread_barrier_wait, rounds_do_not_mix)
{
  make(2);
  pthread_t thread = start(go_on_together, (void *)1);
  go_on_together(NULL);
  finish(thread);
}

static int through;

static void wait_and_count(void)
{
  wait_there();
  ADD(through);
}

CASE(pthread_barrier_wait, more_threads_than_places, blocks)
{
  make(2);
  for (int i = 0; i < 3; i++)
    start_call(wait_and_count);
  let_others_run();
  EXPECT(GET(through) <= 2);
  if (GET(through) == 2)
    SAW("blocks");
  exit(0);
}

DEADLOCK(pthread_barrier_wait, one_is_missing, "barrier")
{
  make(3);
  pthread_t thread = start_call(wait_it);
  pthread_barrier_wait(&b);
  finish(thread);
}

MISUSE(pthread_barrier_wait, destroyed, "uses a barrier that was destroyed")
{
  make(1);
  pthread_barrier_destroy(&b);
  pthread_barrier_wait(&b);
}

CASE(pthread_barrier_destroy, by_the_serial_thread_at_once, proceeds)
{
  make(2);
  pthread_t thread = start_call(wait_it);
  wait_there();
  RETURNS(0, pthread_barrier_destroy, &b);
  finish(thread);
}

CASE(pthread_barrier_destroy, then_init, proceeds)
{
  make(2);
  RETURNS(0, pthread_barrier_destroy, &b);
  make(1);
  wait_there();
}

/* The other may also come later, until the program has ended, and then uses it destroyed. */
MISUSE(pthread_barrier_destroy, awaited, "a barrier that")
{
  make(2);
  start_call(wait_it);
  let_others_run();
  pthread_barrier_destroy(&b);
  exit(0);
}

MISUSE(pthread_barrier_destroy, twice, "barrier")
{
  make(2);
  pthread_barrier_destroy(&b);
  pthread_barrier_destroy(&b);
}
