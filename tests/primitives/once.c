/* SPDX-License-Identifier: Apache-2.0
 *
 * pthread_once. Exceptions in the routine are in cxx.cc, call_once is in c11.c.
 */
#include "case.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, data;

static void routine(void)
{
  runs++;
  data = 42;
}

static void *call_and_look(void *unused)
{
  RETURNS(0, pthread_once, &once, routine);
  EXPECT(data == 42);
  return unused;
}

CASE(pthread_once, exactly_once, proceeds)
{
  pthread_t a = start(call_and_look, NULL), b = start(call_and_look, NULL);
  call_and_look(NULL);
  finish(a);
  finish(b);
  EXPECT(runs == 1);
}

static const char *who_ran;
static __thread const char *who_am_i;

static void note_who(void)
{
  who_ran = who_am_i;
}

static void *call_as(void *name)
{
  who_am_i = (const char *)name;
  RETURNS(0, pthread_once, &once, note_who);
  return NULL;
}

CASE(pthread_once, any_one_may_run_it, runs_in_a, runs_in_b)
{
  pthread_t a = start(call_as, (void *)"runs_in_a"), b = start(call_as, (void *)"runs_in_b");
  finish(a);
  finish(b);
  SAW(who_ran);
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void slow_routine(void)
{
  SET(runs);
  EXPECT(pthread_mutex_lock(&gate) == 0);
  EXPECT(pthread_mutex_unlock(&gate) == 0);
}

static void *call_slowly(void *unused)
{
  RETURNS(0, pthread_once, &once, slow_routine);
  return unused;
}

static void call_late(void)
{
  RETURNS(0, pthread_once, &once, slow_routine);
}

static void open_the_gate(void)
{
  EXPECT(pthread_mutex_unlock(&gate) == 0);
}

CASE(pthread_once, while_another_is_at_it, blocks)
{
  EXPECT(pthread_mutex_lock(&gate) == 0);
  pthread_t first = start(call_slowly, NULL);
  while (!GET(runs))
    sched_yield();
  blocks_until("pthread_once", call_late, open_the_gate);
  finish(first);
}


static void sleepy_routine(void)
{
  if (ADD(runs) == 1)
    sleep(1000);
}

static void *call_sleepily(void *unused)
{
  RETURNS(0, pthread_once, &once, sleepy_routine);
  return unused;
}

CASE(pthread_once, cancelled_in_the_routine, runs_again)
{
  pthread_t thread = start(call_sleepily, NULL);
  while (!GET(runs))
    sched_yield();
  EXPECT(pthread_cancel(thread) == 0);
  bool cancelled = finish(thread) == PTHREAD_CANCELED;
  RETURNS(0, pthread_once, &once, sleepy_routine);
  EXPECT(runs == (cancelled ? 2 : 1));
  if (cancelled)
    SAW("runs_again");
}

static void use_one_on_the_stack(void)
{
  pthread_once_t local = PTHREAD_ONCE_INIT;
  RETURNS(0, pthread_once, &local, routine);
  RETURNS(0, pthread_once, &local, routine);
}

CASE(pthread_once, another_one_at_the_same_place)
{
  use_one_on_the_stack();
  use_one_on_the_stack();
  EXPECT(runs == 2);
  once = (pthread_once_t)PTHREAD_ONCE_INIT;
  RETURNS(0, pthread_once, &once, routine);
  once = (pthread_once_t)PTHREAD_ONCE_INIT;
  RETURNS(0, pthread_once, &once, routine);
  EXPECT(runs == 4);
}

static void calls_itself(void)
{
  pthread_once(&once, calls_itself);
}

DEADLOCK(pthread_once, from_its_own_routine, "itself")
{
  pthread_once(&once, calls_itself);
}
