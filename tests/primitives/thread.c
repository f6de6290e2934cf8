/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads: create, end, join, detach, attributes, names. Cancellation is in cancel.c.
 */
#include "case.h"
#include <setjmp.h>

static int data, flag;

static void *return_argument(void *arg)
{
  data = 1;
  return arg;
}

static void *wait_for_flag(void *arg)
{
  while (!GET(flag))
    sched_yield();
  return arg;
}

static void *nothing(void *arg)
{
  return arg;
}

static pthread_t make(void *(*body)(void *), int state)
{
  pthread_t thread;
  pthread_attr_t attr;
  EXPECT(pthread_attr_init(&attr) == 0);
  EXPECT(pthread_attr_setdetachstate(&attr, state) == 0);
  RETURNS(0, pthread_create, &thread, &attr, body, &data);
  EXPECT(pthread_attr_destroy(&attr) == 0);
  return thread;
}

/* ---- create ---- */

CASE(pthread_create, joinable, proceeds)
{
  pthread_t thread;
  void *result;
  RETURNS(0, pthread_create, &thread, NULL, return_argument, &flag);
  RETURNS(0, pthread_join, thread, &result);
  EXPECT(result == &flag);
  EXPECT(data == 1);
  finish(make(nothing, PTHREAD_CREATE_JOINABLE));
}

static void *note_started(void *arg)
{
  SET(flag);
  return arg;
}

CASE(pthread_create, who_runs_first, child_first, parent_first)
{
  pthread_t thread = start(note_started, NULL);
  SAW(GET(flag) ? "child_first" : "parent_first");
  finish(thread);
}

static void *signal_end(void *end)
{
  __atomic_store_n((int *)end, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

CASE(pthread_create, detached)
{
  pthread_t thread;
  pthread_attr_t attr;
  int state;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  RETURNS(0, pthread_create, &thread, &attr, signal_end, &flag);
  while (!GET(flag))
    sched_yield();
  EXPECT(pthread_attr_getdetachstate(&attr, &state) == 0 && state == PTHREAD_CREATE_DETACHED);
}

#define DEEP (20 << 20)

static void *use_much_stack(void *arg)
{
  volatile char block[DEEP];
  for (size_t i = 0; i < DEEP; i += 4096)
    block[i] = 1;
  (void)arg;
  return block[0] == 1 ? &data : NULL;
}

CASE_WITH("--memory 2G", pthread_create, stack_size, big_stack)
{
  pthread_t thread;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  EXPECT(pthread_attr_setstacksize(&attr, 2 * DEEP) == 0);
  RETURNS(0, pthread_create, &thread, &attr, use_much_stack, NULL);
  EXPECT(finish(thread) == &data);
  SAW("big_stack");
}

static void *add_one(void *arg)
{
  ADD(data);
  return arg;
}

CASE(pthread_create, many, proceeds)
{
  pthread_t thread[40];
  for (int i = 0; i < 40; i++)
    RETURNS(0, pthread_create, &thread[i], NULL, add_one, NULL);
  for (int i = 0; i < 40; i++)
    finish(thread[i]);
  EXPECT(data == 40);
}

static void *create_and_join(void *depth)
{
  ADD(data);
  if ((long)depth > 0)
    finish(start(create_and_join, (void *)((long)depth - 1)));
  return NULL;
}

CASE(pthread_create, by_threads)
{
  pthread_t a = start(create_and_join, (void *)2), b = start(create_and_join, (void *)2);
  finish(a);
  finish(b);
  EXPECT(data == 6);
}

/* ---- join ---- */

static pthread_t target;

static void join_target(void)
{
  RETURNS(0, pthread_join, target, NULL);
}

static void let_it_end(void)
{
  SET(flag);
}

CASE(pthread_join, of_a_running_thread, blocks, proceeds)
{
  target = start(wait_for_flag, NULL);
  blocks_until("pthread_join", join_target, let_it_end);
}

CASE(pthread_join, self, EDEADLK)
{
  RETURNS(EDEADLK, pthread_join, pthread_self(), NULL);
}

static void *block_for_ever(void *arg)
{
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  return arg;
}

DEADLOCK(pthread_join, of_a_blocked_thread, "which it holds itself")
{
  pthread_join(start(block_for_ever, NULL), NULL);
}

static void *join_it_back(void *thread)
{
  pthread_join(*(pthread_t *)thread, NULL);
  return NULL;
}

DEADLOCK(pthread_join, each_other, "wait for each other")
{
  pthread_t self = pthread_self();
  pthread_join(start(join_it_back, &self), NULL);
}

MISUSE(pthread_join, twice, "joins a thread that was joined already")
{
  pthread_t thread = start(nothing, NULL);
  pthread_join(thread, NULL);
  pthread_join(thread, NULL);
}

static void join_it(void)
{
  pthread_join(target, NULL);
}

MISUSE(pthread_join, by_two_threads, "joins a thread that")
{
  target = start(wait_for_flag, NULL);
  start_call(join_it);
  let_others_run();
  SET(flag);
  pthread_join(target, NULL);
  exit(0);
}

MISUSE(pthread_join, detached, "joins a detached thread")
{
  pthread_join(make(wait_for_flag, PTHREAD_CREATE_DETACHED), NULL);
}

MISUSE(pthread_join, detached_while_it_waits, "detache")
{
  target = start(wait_for_flag, NULL);
  start_call(join_it);
  let_others_run();
  pthread_detach(target);
  SET(flag);
  let_others_run();
  exit(0);
}

MISUSE(pthread_join, no_such_thread, "joins a thread that does not exist")
{
  pthread_t thread;
  memset(&thread, 0, sizeof thread);
  pthread_join(thread, NULL);
}

/* ---- tryjoin, timedjoin, clockjoin ---- */

CASE(pthread_tryjoin_np, ended_or_not, proceeds, EBUSY)
{
  void *result = NULL;
  pthread_t thread = start(return_argument, &flag);
  int error;
  while ((error = CALL(pthread_tryjoin_np, thread, &result)) == EBUSY)
    sched_yield();
  EXPECT(error == 0);
  EXPECT(result == &flag);
  EXPECT(data == 1);
}

MISUSE(pthread_tryjoin_np, twice, "joins a thread that was joined already")
{
  pthread_t thread = start(nothing, NULL);
  finish(thread);
  pthread_tryjoin_np(thread, NULL);
}

static void try_to_join(void)
{
  pthread_tryjoin_np(target, NULL);
}

MISUSE(pthread_tryjoin_np, by_two_threads, "joins a thread that")
{
  target = start(nothing, NULL);
  start_call(try_to_join);
  pthread_tryjoin_np(target, NULL);
  let_others_run();
  exit(0);
}

MISUSE(pthread_tryjoin_np, detached, "joins a detached thread")
{
  pthread_tryjoin_np(make(wait_for_flag, PTHREAD_CREATE_DETACHED), NULL);
}

static void joined_or_not(int error, pthread_t thread, clockid_t clock, struct timespec at)
{
  if (error == 0) {
    EXPECT(data == 1);
    return;
  }
  EXPECT(error == ETIMEDOUT);
  EXPECT(passed(clock, at));
  finish(thread);
}

CASE(pthread_timedjoin_np, ended_or_not, proceeds, ETIMEDOUT)
{
  struct timespec at = after(CLOCK_REALTIME, 5);
  pthread_t thread = start(return_argument, NULL);
  joined_or_not(CALL(pthread_timedjoin_np, thread, NULL, &at), thread, CLOCK_REALTIME, at);
}

CASE(pthread_timedjoin_np, errors, EINVAL, EDEADLK, ETIMEDOUT)
{
  pthread_t thread = start(wait_for_flag, NULL);
  RETURNS(EINVAL, pthread_timedjoin_np, thread, NULL, &too_many_ns);
  RETURNS(ETIMEDOUT, pthread_timedjoin_np, thread, NULL, &long_ago);
  RETURNS(EDEADLK, pthread_timedjoin_np, pthread_self(), NULL, &long_ago);
  SET(flag);
  finish(thread);
}

static void join_without_a_limit(void)
{
  RETURNS(0, pthread_timedjoin_np, target, NULL, NULL);
}

CASE(pthread_timedjoin_np, without_a_limit, blocks)
{
  target = start(wait_for_flag, NULL);
  blocks_until("pthread_timedjoin_np", join_without_a_limit, let_it_end);
}

MISUSE(pthread_timedjoin_np, twice, "joins a thread that was joined already")
{
  pthread_t thread = start(nothing, NULL);
  finish(thread);
  pthread_timedjoin_np(thread, NULL, &long_ago);
}

MISUSE(pthread_timedjoin_np, detached, "joins a detached thread")
{
  pthread_timedjoin_np(make(wait_for_flag, PTHREAD_CREATE_DETACHED), NULL, &long_ago);
}

CASE(pthread_clockjoin_np, both_clocks, proceeds, ETIMEDOUT)
{
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  for (size_t i = 0; i < LENGTH(clocks); i++) {
    struct timespec at = after(clocks[i], 5);
    pthread_t thread = start(return_argument, NULL);
    joined_or_not(CALL(pthread_clockjoin_np, thread, NULL, clocks[i], &at), thread, clocks[i], at);
  }
}

CASE(pthread_clockjoin_np, errors, EINVAL, EDEADLK)
{
  pthread_t thread = start(wait_for_flag, NULL);
  RETURNS(EINVAL, pthread_clockjoin_np, thread, NULL, CLOCK_MONOTONIC, &negative_ns);
  RETURNS(EINVAL, pthread_clockjoin_np, thread, NULL, CLOCK_PROCESS_CPUTIME_ID, &long_ago);
  RETURNS(EDEADLK, pthread_clockjoin_np, pthread_self(), NULL, CLOCK_MONOTONIC, &long_ago);
  SET(flag);
  finish(thread);
}

static void join_on_a_clock_without_a_limit(void)
{
  RETURNS(0, pthread_clockjoin_np, target, NULL, CLOCK_MONOTONIC, NULL);
}

CASE(pthread_clockjoin_np, without_a_limit, blocks)
{
  target = start(wait_for_flag, NULL);
  blocks_until("pthread_clockjoin_np", join_on_a_clock_without_a_limit, let_it_end);
}

MISUSE(pthread_clockjoin_np, detached, "joins a detached thread")
{
  pthread_clockjoin_np(make(wait_for_flag, PTHREAD_CREATE_DETACHED), NULL, CLOCK_MONOTONIC, &long_ago);
}

MISUSE(pthread_clockjoin_np, twice, "joins a thread that was joined already")
{
  pthread_t thread = start(nothing, NULL);
  finish(thread);
  pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &long_ago);
}

/* ---- detach ---- */

CASE(pthread_detach, running_or_ended, proceeds, of_a_running_thread, of_an_ended_thread)
{
  pthread_t thread = start(signal_end, &flag);
  sched_yield();
  bool ended = GET(flag);
  RETURNS(0, pthread_detach, thread);
  SAW(ended ? "of_an_ended_thread" : "of_a_running_thread");
  while (!GET(flag))
    sched_yield();
}

static void *detach_self(void *arg)
{
  RETURNS(0, pthread_detach, pthread_self());
  SET(flag);
  return arg;
}

CASE(pthread_detach, self, proceeds)
{
  start(detach_self, NULL);
  while (!GET(flag))
    sched_yield();
}

MISUSE(pthread_detach, twice, "detaches a thread that is detached already")
{
  pthread_t thread = start(wait_for_flag, NULL);
  pthread_detach(thread);
  pthread_detach(thread);
}

MISUSE(pthread_detach, joined, "detaches a thread that was joined already")
{
  pthread_t thread = start(nothing, NULL);
  finish(thread);
  pthread_detach(thread);
}

MISUSE(pthread_detach, no_such_thread, "detaches a thread that does not exist")
{
  pthread_t thread;
  memset(&thread, 0, sizeof thread);
  pthread_detach(thread);
}

MISUSE(pthread_detach, then_joined, "joins a detached thread")
{
  pthread_t thread = start(nothing, NULL);
  pthread_detach(thread);
  pthread_join(thread, NULL);
}

/* ---- exit ---- */

static __attribute__((noinline)) void leave_from_below(void *value)
{
  pthread_exit(value);
}

static void *exit_deep(void *value)
{
  leave_from_below(value);
  return NULL;
}

CASE(pthread_exit, from_a_nested_function, ends_the_thread)
{
  EXPECT(finish(start(exit_deep, &data)) == &data);
  SAW("ends_the_thread");
}

static void *outlive_main(void *main_thread)
{
  void *result;
  RETURNS(0, pthread_join, *(pthread_t *)main_thread, &result);
  EXPECT(result == &flag);
  SEE("pthread_exit", "others_outlive_main");
  return NULL;
}

CASE(pthread_exit, from_main, others_outlive_main)
{
  static pthread_t self;
  self = pthread_self();
  start(outlive_main, &self);
  pthread_exit(&flag);
}

CASE(pthread_exit, from_main_alone)
{
  SAW("ends_the_thread");
  pthread_exit(NULL);
}

/* ---- who am I, names, and what only a scheduler cares about ---- */

static pthread_t seen_self;

static void *tell_self(void *arg)
{
  seen_self = pthread_self();
  return arg;
}

CASE(pthread_self, distinct_and_stable, proceeds)
{
  pthread_t thread = start(tell_self, NULL);
  finish(thread);
  EXPECT(pthread_equal(thread, seen_self));
  EXPECT(!pthread_equal(thread, pthread_self()));
  EXPECT(pthread_equal(pthread_self(), pthread_self()));
  SAW("proceeds");
  SEE("pthread_equal", "proceeds");
  SAME("self", "%lx", (unsigned long)pthread_self());
  SAME("thread", "%lx", (unsigned long)thread);
}

CASE(pthread_setname_np, names, proceeds, ERANGE)
{
  char name[16];
  pthread_t thread = start(wait_for_flag, NULL);
  RETURNS(0, pthread_setname_np, thread, "worker");
  RETURNS(0, pthread_getname_np, thread, name, sizeof name);
  EXPECT(!strcmp(name, "worker"));
  RETURNS(ERANGE, pthread_setname_np, thread, "a name of more than fifteen letters");
  RETURNS(ERANGE, pthread_getname_np, thread, name, 4);
  RETURNS(0, pthread_setname_np, pthread_self(), "fifteen-letters");
  RETURNS(0, pthread_getname_np, pthread_self(), name, sizeof name);
  EXPECT(!strcmp(name, "fifteen-letters"));
  SET(flag);
  finish(thread);
}

static void *tell_own_name(void *arg)
{
  char name[16];
  RETURNS(0, pthread_getname_np, pthread_self(), name, sizeof name);
  SAME("name", "%s", name);
  EXPECT(name[0]);
  return arg;
}

CASE(pthread_getname_np, default_name, proceeds)
{
  finish(start(tell_own_name, NULL));
}

CASE(pthread_setaffinity_np, of_a_running_thread, proceeds)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  RETURNS(0, pthread_setaffinity_np, pthread_self(), sizeof set, &set);
}

static void *ask_for_all_processors(void *all)
{
  cpu_set_t set;
  RETURNS(0, pthread_getaffinity_np, pthread_self(), sizeof set, &set);
  EXPECT(CPU_EQUAL(&set, (cpu_set_t *)all));
  return NULL;
}

CASE(pthread_getaffinity_np, each_thread_its_own, proceeds, EINVAL)
{
  cpu_set_t all, one, now;
  RETURNS(0, pthread_getaffinity_np, pthread_self(), sizeof all, &all);
  pthread_t thread = start(ask_for_all_processors, &all);
  int processor = 0;
  while (!CPU_ISSET(processor, &all))
    processor++;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  EXPECT(pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0);
  RETURNS(0, pthread_getaffinity_np, pthread_self(), sizeof now, &now);
  EXPECT(CPU_EQUAL(&now, &one));
  finish(thread);
  CPU_ZERO(&one);
  RETURNS(EINVAL, pthread_setaffinity_np, pthread_self(), sizeof one, &one);
  RETURNS(EINVAL, pthread_getaffinity_np, pthread_self(), 1, &now);
}

static __thread int mine = 7;

static void *count_mine(void *arg)
{
  EXPECT(mine == 7);
  mine++;
  sched_yield();
  EXPECT(mine == 8);
  return arg;
}

CASE(pthread_create, thread_local_variables)
{
  pthread_t a = start(count_mine, NULL), b = start(count_mine, NULL);
  finish(a);
  finish(b);
  EXPECT(mine == 7);
}

static void *fail_with_errno(void *error)
{
  errno = (int)(long)error;
  sched_yield();
  EXPECT(errno == (int)(long)error);
  return NULL;
}

CASE(pthread_create, errno_of_each)
{
  pthread_t a = start(fail_with_errno, (void *)11), b = start(fail_with_errno, (void *)12);
  fail_with_errno((void *)13);
  finish(a);
  finish(b);
}

static void *jump(void *arg)
{
  jmp_buf back;
  volatile int jumps = 0;
  if (setjmp(back) < 3) {
    jumps++;
    sched_yield();
    longjmp(back, jumps);
  }
  EXPECT(jumps == 3);
  return arg;
}

CASE(setjmp, in_every_thread, longjmp)
{
  pthread_t thread = start(jump, NULL);
  jump(NULL);
  finish(thread);
  SAW("longjmp");
}
