/* SPDX-License-Identifier: Apache-2.0
 *
 * Virtual time: sleeping costs nothing, clocks agree with each other, go only forward and are the same in every
 * execution.
 */
#include "case.h"
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>

#define HOUR 3600

static long long ns_of(struct timespec t)
{
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long monotonic(void)
{
  return ns_of(now_on(CLOCK_MONOTONIC));
}

/* An hour passed since then, and not much more. */
static void an_hour_since(long long before)
{
  long long passed_ns = monotonic() - before;
  EXPECT(passed_ns >= HOUR * 1000000000LL);
  EXPECT(passed_ns < (HOUR + 1) * 1000000000LL);
}

CASE(sleep, an_hour, proceeds)
{
  long long before = monotonic();
  RETURNS(0, sleep, HOUR);
  an_hour_since(before);
}

CASE(usleep, an_hour, proceeds)
{
  long long before = monotonic();
  for (int i = 0; i < HOUR / 4; i++)
    EXPECT(usleep(4000000) == 0);
  an_hour_since(before);
  SAW("proceeds");
}

CASE(nanosleep, an_hour, proceeds, EINVAL)
{
  struct timespec hour = {HOUR, 0}, left = {0, 0}, before_now = {-1, 0};
  long long before = monotonic();
  RETURNS(0, nanosleep, &hour, &left);
  an_hour_since(before);
  FAILS(EINVAL, nanosleep, &too_many_ns, NULL);
  FAILS(EINVAL, nanosleep, &negative_ns, NULL);
  FAILS(EINVAL, nanosleep, &before_now, NULL);
}

CASE(clock_nanosleep, relative_and_absolute, proceeds, EINVAL)
{
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  struct timespec hour = {HOUR, 0};
  for (size_t i = 0; i < LENGTH(clocks); i++) {
    long long before = monotonic();
    RETURNS(0, clock_nanosleep, clocks[i], 0, &hour, NULL);
    an_hour_since(before);
    before = monotonic();
    struct timespec at = after(clocks[i], HOUR);
    RETURNS(0, clock_nanosleep, clocks[i], TIMER_ABSTIME, &at, NULL);
    an_hour_since(before);
    RETURNS(0, clock_nanosleep, clocks[i], TIMER_ABSTIME, &long_ago, NULL);
    RETURNS(EINVAL, clock_nanosleep, clocks[i], 0, &too_many_ns, NULL);
  }
}

CASE(clock_nanosleep, no_such_clock, EINVAL)
{
  struct timespec second = {1, 0};
  RETURNS(EINVAL, clock_nanosleep, CLOCK_THREAD_CPUTIME_ID, 0, &second, NULL);
  RETURNS(EINVAL, clock_nanosleep, 77, 0, &second, NULL);
}

static int order;

static void *sleep_and_take_a_number(void *name)
{
  sleep(1);
  if (ADD(order) == 1)
    SEE("sleep", (const char *)name);
  return NULL;
}

CASE(sleep, any_sleeper_may_wake_first, wakes_a, wakes_b)
{
  pthread_t a = start(sleep_and_take_a_number, (void *)"wakes_a"),
            b = start(sleep_and_take_a_number, (void *)"wakes_b");
  finish(a);
  finish(b);
}

static void *look_at_the_clock(void *last)
{
  for (int i = 0; i < 3; i++) {
    long long now = monotonic(), before = __atomic_exchange_n((long long *)last, now, __ATOMIC_SEQ_CST);
    (void)before;
    EXPECT(monotonic() > now);
    sched_yield();
  }
  return NULL;
}

CASE(clock_gettime, only_forward, proceeds)
{
  static long long last;
  pthread_t thread = start(look_at_the_clock, &last);
  look_at_the_clock(&last);
  finish(thread);
  EXPECT(monotonic() > GET(last));
  struct timespec now;
  RETURNS(0, clock_gettime, CLOCK_MONOTONIC_RAW, &now);
  RETURNS(0, clock_gettime, CLOCK_BOOTTIME, &now);
  RETURNS(0, clock_gettime, CLOCK_REALTIME_COARSE, &now);
  RETURNS(0, clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &now);
  RETURNS(0, clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
}

CASE(clock_gettime, no_such_clock, EINVAL)
{
  struct timespec now;
  FAILS(EINVAL, clock_gettime, 77, &now);
}

CASE(clock_gettime, same_in_every_execution)
{
  SAME("monotonic", "%lld", monotonic());
  SAME("realtime", "%lld", ns_of(now_on(CLOCK_REALTIME)));
  SAME("cpu", "%lld", ns_of(now_on(CLOCK_PROCESS_CPUTIME_ID)));
  struct timespec now;
  EXPECT(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now) == 0);
  SAME("syscall", "%lld", ns_of(now));
}

CASE(gettimeofday, agrees_with_the_clock, proceeds)
{
  struct timeval now;
  time_t before = now_on(CLOCK_REALTIME).tv_sec;
  RETURNS(0, gettimeofday, &now, NULL);
  EXPECT(now.tv_sec == before && now.tv_usec >= 0 && now.tv_usec < 1000000);
  SAME("gettimeofday", "%ld", (long)now.tv_usec);
}

CASE(time, agrees_with_the_clock, proceeds)
{
  time_t now;
  EXPECT(time(&now) == now);
  EXPECT(time(NULL) == now_on(CLOCK_REALTIME).tv_sec);
  SAW("proceeds");
  SAME("time", "%ld", (long)now);
  sleep(HOUR);
  EXPECT(time(NULL) == now + HOUR);
}

CASE(timespec_get, utc, proceeds)
{
  struct timespec now;
  EXPECT(timespec_get(&now, TIME_UTC) == TIME_UTC);
  EXPECT(now.tv_sec == time(NULL));
  EXPECT(timespec_get(&now, 77) == 0);
  SAW("proceeds");
}

CASE(clock, of_the_process, proceeds)
{
  clock_t before = clock();
  EXPECT(before != (clock_t)-1);
  EXPECT(clock() >= before);
  SAW("proceeds");
  SAME("clock", "%ld", (long)before);
}

CASE(times, same_in_every_execution, proceeds)
{
  struct tms t;
  SAME("times", "%ld", (long)times(&t));
  SAW("proceeds");
}

static void *set_flag(void *flag)
{
  __atomic_store_n((int *)flag, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

CASE(sched_yield, another_may_go_first, proceeds, another_went_first, went_on)
{
  static int flag;
  pthread_t thread = start(set_flag, &flag);
  EXPECT(sched_yield() == 0);
  SAW("proceeds");
  SAW(GET(flag) ? "another_went_first" : "went_on");
  finish(thread);
}

/* A loop that waits for time to pass comes to an end. */
CASE(clock_gettime, busy_waiting_ends)
{
  struct timespec at = now_on(CLOCK_MONOTONIC);
  at.tv_nsec += 100000;
  while (!passed(CLOCK_MONOTONIC, at))
    ;
}

static int deadline_seen;

static void *time_out(void *arg)
{
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  struct timespec at = after(CLOCK_REALTIME, HOUR);
  EXPECT(pthread_mutex_lock(&m) == 0);
  EXPECT(pthread_cond_timedwait(&c, &m, &at) == ETIMEDOUT);
  SET(deadline_seen);
  return arg;
}

CASE(clock_gettime, timeouts_move_time_for_all)
{
  time_t before = time(NULL);
  pthread_t thread = start(time_out, NULL);
  while (!GET(deadline_seen))
    sched_yield();
  EXPECT(time(NULL) >= before + HOUR);
  finish(thread);
}
