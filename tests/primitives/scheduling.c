/* SPDX-License-Identifier: Apache-2.0
 *
 * How threads are scheduled and where they run: policies, priorities, stacks, masks and processors, given at their
 * creation or later, inherited, and told again. Whoever may not have a high priority is told so.
 */
#include "case.h"
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>

static int flag;

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

static pthread_attr_t new_attributes(void)
{
  pthread_attr_t attr;
  EXPECT(pthread_attr_init(&attr) == 0);
  return attr;
}

/* ---- policies and priorities ---- */

/* Whether this process may have a real-time policy: all processes of root may, and some others. */
static bool may_have_priority(void)
{
  struct sched_param param = {.sched_priority = 7};
  int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
  EXPECT(error == 0 || error == EPERM);
  return error == 0;
}

static void expect_scheduling(pthread_t thread, int policy, int priority)
{
  struct sched_param param = {.sched_priority = -1};
  int found = -1;
  RETURNS(0, pthread_getschedparam, thread, &found, &param);
  EXPECT(found == policy);
  EXPECT(param.sched_priority == priority);
}

CASE(pthread_setschedparam, of_a_running_thread, proceeds, pthread_setschedprio:proceeds,
     pthread_getschedparam:proceeds)
{
  struct sched_param param = {.sched_priority = 0};
  pthread_t thread = start(wait_for_flag, NULL);
  RETURNS(0, pthread_setschedparam, thread, SCHED_BATCH, &param);
  RETURNS(0, pthread_setschedprio, thread, 0);
  expect_scheduling(thread, SCHED_BATCH, 0);
  expect_scheduling(pthread_self(), SCHED_OTHER, 0);
  SET(flag);
  finish(thread);
}

CASE(pthread_setschedparam, nonsense, EINVAL, pthread_setschedprio:EINVAL)
{
  struct sched_param none = {.sched_priority = 0}, one = {.sched_priority = 1}, many = {.sched_priority = 100};
  RETURNS(EINVAL, pthread_setschedparam, pthread_self(), SCHED_OTHER, &one);
  RETURNS(EINVAL, pthread_setschedparam, pthread_self(), SCHED_FIFO, &none);
  RETURNS(EINVAL, pthread_setschedparam, pthread_self(), SCHED_RR, &many);
  RETURNS(EINVAL, pthread_setschedparam, pthread_self(), 4711, &none);
  RETURNS(EINVAL, pthread_setschedprio, pthread_self(), 1);
  expect_scheduling(pthread_self(), SCHED_OTHER, 0);
}

CASE(pthread_setschedparam, is_remembered)
{
  struct sched_param param;
  if (!may_have_priority())
    return;
  expect_scheduling(pthread_self(), SCHED_FIFO, 7);
  EXPECT(sched_getscheduler(0) == SCHED_FIFO);
  EXPECT(sched_getparam(getpid(), &param) == 0 && param.sched_priority == 7);
  EXPECT(pthread_setschedprio(pthread_self(), 9) == 0);
  EXPECT(sched_getparam(gettid(), &param) == 0 && param.sched_priority == 9);
}

CASE(pthread_setschedparam, by_its_number)
{
  struct sched_param param = {.sched_priority = 0};
  EXPECT(sched_setscheduler(getpid(), SCHED_IDLE, &param) == 0);
  expect_scheduling(pthread_self(), SCHED_IDLE, 0);
  EXPECT(sched_setparam(gettid(), &param) == 0);
  EXPECT(sched_getscheduler(getpid()) == SCHED_IDLE);
}

static void *tell_scheduling(void *found)
{
  struct sched_param param;
  EXPECT(pthread_getschedparam(pthread_self(), found, &param) == 0);
  return (void *)(intptr_t)param.sched_priority;
}

CASE(pthread_create, inherits_scheduling)
{
  struct sched_param param = {.sched_priority = 0};
  int policy = -1;
  EXPECT(pthread_setschedparam(pthread_self(), SCHED_BATCH, &param) == 0);
  EXPECT(finish(start(tell_scheduling, &policy)) == NULL);
  EXPECT(policy == SCHED_BATCH);
}

CASE(pthread_create, explicit_scheduling, EINVAL)
{
  struct sched_param param = {.sched_priority = 3};
  int policy = -1, error;
  pthread_t thread;
  pthread_attr_t attr = new_attributes();
  EXPECT(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) == 0);
  EXPECT(pthread_attr_setschedpolicy(&attr, SCHED_RR) == 0);
  RETURNS(EINVAL, pthread_create, &thread, &attr, tell_scheduling, &policy); /* the creator has no priority to inherit */
  EXPECT(pthread_attr_setschedparam(&attr, &param) == 0);
  error = pthread_create(&thread, &attr, tell_scheduling, &policy);
  EXPECT(error == (may_have_priority() ? 0 : EPERM));
  if (error)
    return;
  EXPECT(finish(thread) == (void *)3);
  EXPECT(policy == SCHED_RR);
}

CASE(pthread_create, scheduling_that_is_not_asked_for)
{
  struct sched_param param = {.sched_priority = 3};
  int policy = -1;
  pthread_t thread;
  pthread_attr_t attr = new_attributes();
  EXPECT(pthread_attr_setschedpolicy(&attr, SCHED_RR) == 0);
  EXPECT(pthread_attr_setschedparam(&attr, &param) == 0);
  EXPECT(pthread_create(&thread, &attr, tell_scheduling, &policy) == 0); /* inherited, after all */
  EXPECT(finish(thread) == NULL);
  EXPECT(policy == SCHED_OTHER);
}

static void *tell_nice(void *arg)
{
  (void)arg;
  return (void *)(intptr_t)getpriority(PRIO_PROCESS, 0);
}

CASE(pthread_create, inherits_nice_value)
{
  int before = getpriority(PRIO_PROCESS, 0);
  pthread_t early = start(wait_for_flag, NULL);
  EXPECT(setpriority(PRIO_PROCESS, 0, 15) == 0);
  EXPECT(getpriority(PRIO_PROCESS, getpid()) == 15);
  EXPECT(finish(start(tell_nice, NULL)) == (void *)15);
  SET(flag);
  finish(early);
  EXPECT(getpriority(PRIO_PGRP, 0) <= 15 && before <= 15);
}

/* ---- mutexes with a ceiling ---- */

static pthread_mutex_t new_protecting(int type, int ceiling)
{
  pthread_mutexattr_t attr;
  pthread_mutex_t mutex;
  EXPECT(pthread_mutexattr_init(&attr) == 0);
  EXPECT(pthread_mutexattr_settype(&attr, type) == 0);
  EXPECT(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT) == 0);
  EXPECT(pthread_mutexattr_setprioceiling(&attr, ceiling) == 0);
  EXPECT(pthread_mutex_init(&mutex, &attr) == 0);
  return mutex;
}

CASE(pthread_mutex_setprioceiling, of_a_mutex, proceeds, EINVAL)
{
  int old = -1, now = -1;
  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, mutex = new_protecting(PTHREAD_MUTEX_NORMAL, 10);
  RETURNS(EINVAL, pthread_mutex_setprioceiling, &plain, 20, &old);
  RETURNS(EINVAL, pthread_mutex_setprioceiling, &mutex, 1000, &old);
  RETURNS(0, pthread_mutex_setprioceiling, &mutex, 20, &old);
  EXPECT(pthread_mutex_getprioceiling(&mutex, &now) == 0);
  EXPECT(old == 10 && now == 20);
  EXPECT(pthread_mutex_destroy(&mutex) == 0);
}

CASE(pthread_mutex_lock, above_the_ceiling, EINVAL)
{
  struct sched_param param;
  pthread_mutex_t low = new_protecting(PTHREAD_MUTEX_NORMAL, 5), high = new_protecting(PTHREAD_MUTEX_NORMAL, 20);
  RETURNS(EINVAL, pthread_mutex_lock, &low); /* without a policy that has priorities */
  if (!may_have_priority())
    return;
  RETURNS(EINVAL, pthread_mutex_lock, &low);
  RETURNS(EINVAL, pthread_mutex_trylock, &low);
  RETURNS(0, pthread_mutex_lock, &high);
  EXPECT(sched_getparam(0, &param) == 0 && param.sched_priority == 20);
  expect_scheduling(pthread_self(), SCHED_FIFO, 7);
  RETURNS(0, pthread_mutex_unlock, &high);
  EXPECT(sched_getparam(0, &param) == 0 && param.sched_priority == 7);
}

/* ---- stacks ---- */

#define OWN_STACK (256 << 10)
static char own_stack[OWN_STACK] __attribute__((aligned(4096)));

static bool is_on(const void *low, size_t size)
{
  char here;
  uintptr_t at = (uintptr_t)&here; /* elsewhere than the locals that the compiler knows */
  __asm__("" : "+r"(at));
  return at - (uintptr_t)low < size;
}

static void *look_at_own_stack(void *again)
{
  pthread_attr_t attr;
  void *low;
  size_t size;
  EXPECT(is_on(own_stack, OWN_STACK));
  RETURNS(0, pthread_getattr_np, pthread_self(), &attr);
  EXPECT(pthread_attr_getstack(&attr, &low, &size) == 0);
  EXPECT(low == own_stack && size == OWN_STACK);
  EXPECT(pthread_attr_destroy(&attr) == 0);
  if (again)
    sched_yield();
  SEE("pthread_create", "own_stack");
  return again;
}

static pthread_t start_on(char *stack, size_t size, void *(*body)(void *), void *arg)
{
  pthread_t thread;
  pthread_attr_t attr = new_attributes();
  EXPECT(pthread_attr_setstack(&attr, stack, size) == 0);
  RETURNS(0, pthread_create, &thread, &attr, body, arg);
  return thread;
}

CASE(pthread_create, stack_of_the_program, own_stack)
{
  finish(start_on(own_stack, OWN_STACK, look_at_own_stack, NULL));
  finish(start_on(own_stack, OWN_STACK, look_at_own_stack, &flag));
}

static void *print_and_lock(void *arg)
{
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  char text[100];
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  EXPECT(snprintf(text, sizeof text, "%s %d %g", "text", 3, 2.5) == 10);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  sched_yield();
  return is_on(arg, PTHREAD_STACK_MIN) ? arg : NULL;
}

CASE(pthread_create, smallest_stacks)
{
  char *both = aligned_alloc(64, 2 * (size_t)PTHREAD_STACK_MIN);
  pthread_t a = start_on(both, PTHREAD_STACK_MIN, print_and_lock, both);
  pthread_t b = start_on(both + PTHREAD_STACK_MIN, PTHREAD_STACK_MIN, print_and_lock, both + PTHREAD_STACK_MIN);
  EXPECT(finish(a) == both);
  EXPECT(finish(b) == both + PTHREAD_STACK_MIN);
  free(both);
}

static void expect_attributes(size_t wanted, size_t guard, int state)
{
  pthread_attr_t attr;
  void *low;
  size_t size, room;
  int found;
  RETURNS(0, pthread_getattr_np, pthread_self(), &attr);
  EXPECT(pthread_attr_getstack(&attr, &low, &size) == 0 && size == wanted);
  EXPECT(pthread_attr_getguardsize(&attr, &room) == 0 && room == guard);
  EXPECT(pthread_attr_getdetachstate(&attr, &found) == 0 && found == state);
  EXPECT(is_on(low, size));
  EXPECT(pthread_attr_destroy(&attr) == 0);
}

#define GUARD (16 << 10)

static void *tell_attributes(void *arg)
{
  expect_attributes(OWN_STACK, GUARD, PTHREAD_CREATE_JOINABLE);
  return arg;
}

static void *tell_usual_guard(void *arg)
{
  pthread_attr_t attr;
  size_t guard;
  EXPECT(pthread_getattr_np(pthread_self(), &attr) == 0);
  EXPECT(pthread_attr_getguardsize(&attr, &guard) == 0 && guard == 4096);
  EXPECT(pthread_attr_destroy(&attr) == 0);
  return arg;
}

CASE(pthread_getattr_np, as_asked_for, proceeds)
{
  pthread_t thread;
  finish(start(tell_usual_guard, NULL));
  pthread_attr_t attr = new_attributes();
  EXPECT(pthread_attr_setstacksize(&attr, OWN_STACK) == 0);
  EXPECT(pthread_attr_setguardsize(&attr, GUARD) == 0);
  EXPECT(pthread_create(&thread, &attr, tell_attributes, NULL) == 0);
  finish(thread);
  EXPECT(pthread_setattr_default_np(&attr) == 0);
  finish(start(tell_attributes, NULL));
}

/* ---- signals and processors ---- */

static void *tell_mask(void *arg)
{
  sigset_t now;
  EXPECT(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
  EXPECT(sigismember(&now, SIGUSR1) == (arg != NULL));
  EXPECT(sigismember(&now, SIGUSR2) == (arg == NULL));
  return arg;
}

CASE(pthread_create, mask_of_signals)
{
  sigset_t first, second;
  pthread_t thread;
  pthread_attr_t attr = new_attributes();
  sigemptyset(&first);
  sigaddset(&first, SIGUSR1);
  sigemptyset(&second);
  sigaddset(&second, SIGUSR2);
  EXPECT(pthread_attr_setsigmask_np(&attr, &first) == 0);
  EXPECT(pthread_sigmask(SIG_SETMASK, &second, NULL) == 0);
  EXPECT(pthread_create(&thread, &attr, tell_mask, &flag) == 0);
  EXPECT(pthread_attr_destroy(&attr) == 0);
  finish(thread);
  finish(start(tell_mask, NULL));
}

CASE(pthread_create, processors_that_there_are_not, EINVAL)
{
  cpu_set_t set;
  pthread_t thread;
  pthread_attr_t attr = new_attributes();
  CPU_ZERO(&set);
  CPU_SET(CPU_SETSIZE - 1, &set);
  EXPECT(pthread_attr_setaffinity_np(&attr, sizeof set, &set) == 0);
  RETURNS(EINVAL, pthread_create, &thread, &attr, nothing, NULL);
  EXPECT(pthread_attr_destroy(&attr) == 0);
}

/* ---- clocks ---- */

CASE(pthread_getcpuclockid, of_threads, proceeds, ESRCH)
{
  struct timespec now;
  clockid_t clock;
  pthread_t thread = start(wait_for_flag, NULL);
  RETURNS(0, pthread_getcpuclockid, thread, &clock);
  EXPECT(clock_gettime(clock, &now) == 0 && now.tv_sec < 1000);
  EXPECT(clock_getres(clock, &now) == 0);
  SET(flag);
  while (CALL(pthread_getcpuclockid, thread, &clock) == 0)
    sched_yield();
  finish(thread);
  EXPECT(clock_getcpuclockid(getpid(), &clock) == 0);
  EXPECT(clock_gettime(clock, &now) == 0 && now.tv_sec < 1000);
  EXPECT(clock_gettime(-1, &now) == -1 && errno == EINVAL);
}
