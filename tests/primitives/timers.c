/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers of a process: they run on virtual time, and may tell of their expiry by a signal, by a thread or not at all.
 */
#include "case.h"
#include <signal.h>

#define MILLISECOND 1000000
#define HOUR 3600

static timer_t timer;
static int rings;

static void note(int number, siginfo_t *info, void *context)
{
  (void)context;
  EXPECT(number == SIGUSR1 && info->si_code == SI_TIMER && info->si_value.sival_int == 42);
  ADD(rings);
}

static void make(struct sigevent *event)
{
  RETURNS(0, timer_create, CLOCK_MONOTONIC, event, &timer);
}

static void make_with_signal(void)
{
  struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
  make(&(struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 42});
}

static void make_silent(void)
{
  make(&(struct sigevent){.sigev_notify = SIGEV_NONE});
}

static void set(struct timespec value, struct timespec interval)
{
  struct itimerspec to = {.it_value = value, .it_interval = interval};
  RETURNS(0, timer_settime, timer, 0, &to, NULL);
}

static const struct timespec never, hour = {HOUR, 0}, soon = {0, MILLISECOND};

/* ---- timer_create ---- */

CASE(timer_create, signal, proceeds, signals)
{
  make_with_signal();
  set(hour, never);
  EXPECT(!rings);
  sleep(HOUR);
  EXPECT(rings == 1);
  sleep(HOUR);
  EXPECT(rings == 1);
  SAW("signals");
}

static void ring(union sigval value)
{
  EXPECT(value.sival_int == 42);
  ADD(rings);
}

CASE(timer_create, thread, starts_a_thread)
{
  make(&(struct sigevent){
      .sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring, .sigev_value.sival_int = 42});
  set(soon, never);
  while (!GET(rings))
    sched_yield();
  SAW("starts_a_thread");
}

BUG(crash, timer_create, without_a_handler, "SIGALRM")
{
  make(NULL);
  set(hour, never);
  sleep(HOUR + 1);
}

/* ---- timer_settime ---- */

CASE(timer_settime, at_any_time, early, late)
{
  make_with_signal();
  set(soon, never);
  let_others_run();
  SAW(GET(rings) ? "early" : "late");
}

CASE(timer_settime, absolute, proceeds)
{
  struct itimerspec to = {.it_value = after(CLOCK_MONOTONIC, HOUR)}, old = {.it_value = {1, 1}};
  make_with_signal();
  RETURNS(0, timer_settime, timer, TIMER_ABSTIME, &to, &old);
  EXPECT(old.it_value.tv_sec == 0 && old.it_value.tv_nsec == 0);
  sleep(HOUR / 2);
  EXPECT(!rings);
  sleep(HOUR / 2);
  EXPECT(rings == 1);
}

/* Whoever may not set the clock has nothing to see. */
CASE(timer_settime, absolute_and_the_clock_is_set)
{
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 42};
  struct itimerspec to = {.it_value = after(CLOCK_REALTIME, HOUR)};
  struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
  EXPECT(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
  EXPECT(timer_settime(timer, TIMER_ABSTIME, &to, NULL) == 0);
  if (clock_settime(CLOCK_REALTIME, &to.it_value))
    return;
  sleep(10);
  EXPECT(GET(rings) == 1);
}

CASE(timer_settime, again_and_again, repeats)
{
  make_with_signal();
  set(hour, hour);
  for (int i = 0; i < 3; i++)
    for (unsigned left = HOUR; left;)
      left = sleep(left);
  EXPECT(rings == 3);
  SAW("repeats");
}

CASE(timer_settime, stopped, proceeds)
{
  make_with_signal();
  set(hour, never);
  set(never, never);
  sleep(2 * HOUR);
  EXPECT(!rings);
}

CASE(timer_settime, errors, EINVAL)
{
  struct itimerspec to = {.it_value = too_many_ns};
  make_silent();
  FAILS(EINVAL, timer_settime, timer, 0, &to, NULL);
  to.it_value = negative_ns;
  FAILS(EINVAL, timer_settime, timer, 0, &to, NULL);
}

/* ---- timer_gettime ---- */

CASE(timer_gettime, what_is_left, proceeds)
{
  struct itimerspec left;
  make_silent();
  RETURNS(0, timer_gettime, timer, &left);
  EXPECT(left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
  set(hour, never);
  sleep(HOUR / 2);
  RETURNS(0, timer_gettime, timer, &left);
  EXPECT(left.it_value.tv_sec <= HOUR / 2 && left.it_value.tv_sec >= HOUR / 2 - 1);
  EXPECT(left.it_interval.tv_sec == 0 && left.it_interval.tv_nsec == 0);
  SAME("left", "%ld", left.it_value.tv_nsec);
}

/* ---- timer_getoverrun ---- */

CASE(timer_getoverrun, while_the_signal_waits, proceeds, overrun)
{
  sigset_t set_of_one;
  sigemptyset(&set_of_one);
  sigaddset(&set_of_one, SIGUSR1);
  make_with_signal();
  EXPECT(pthread_sigmask(SIG_BLOCK, &set_of_one, NULL) == 0);
  EXPECT(timer_getoverrun(timer) == 0);
  SAW("proceeds");
  set(hour, hour);
  sleep(3 * HOUR);
  EXPECT(!rings);
  EXPECT(pthread_sigmask(SIG_UNBLOCK, &set_of_one, NULL) == 0);
  EXPECT(rings == 1);
  EXPECT(timer_getoverrun(timer) == 2);
  SAW("overrun");
}

CASE(timer_getoverrun, a_billion, overrun)
{
  struct itimerspec often = {.it_value = {1, 0}, .it_interval = {0, 2}};
  sigset_t set_of_one;
  sigemptyset(&set_of_one);
  sigaddset(&set_of_one, SIGUSR1);
  make_with_signal();
  EXPECT(pthread_sigmask(SIG_BLOCK, &set_of_one, NULL) == 0);
  EXPECT(timer_settime(timer, 0, &often, NULL) == 0);
  sleep(2);
  EXPECT(timer_settime(timer, 0, &(struct itimerspec){0}, NULL) == 0);
  sleep(2);
  siginfo_t info;
  EXPECT(sigwaitinfo(&set_of_one, &info) == SIGUSR1 && info.si_code == SI_TIMER);
  EXPECT(timer_settime(timer, 0, &often, NULL) == 0);
  sleep(2);
  EXPECT(sigwaitinfo(&set_of_one, &info) == SIGUSR1 && info.si_overrun >= 499999000 && info.si_overrun <= 500001000);
  EXPECT(timer_getoverrun(timer) == info.si_overrun);
  SAW("overrun");
}

CASE(timer_create, two_with_one_signal, signals)
{
  timer_t both[2];
  sigset_t set_of_one;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
  struct itimerspec soon = {.it_value = {1, 0}};
  sigemptyset(&set_of_one);
  sigaddset(&set_of_one, SIGUSR2);
  EXPECT(pthread_sigmask(SIG_BLOCK, &set_of_one, NULL) == 0);
  for (int i = 0; i < 2; i++) {
    event.sigev_value.sival_int = 10 + i;
    EXPECT(timer_create(CLOCK_MONOTONIC, &event, &both[i]) == 0 && timer_settime(both[i], 0, &soon, NULL) == 0);
  }
  sleep(3);
  siginfo_t first, second;
  EXPECT(sigwaitinfo(&set_of_one, &first) == SIGUSR2 && sigwaitinfo(&set_of_one, &second) == SIGUSR2);
  EXPECT(first.si_value.sival_int + second.si_value.sival_int == 21 && first.si_overrun == 0);
  SAW("signals");
}

CASE(timer_create, errors, EINVAL)
{
  struct sigevent bad_signal = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = 99};
  struct sigevent bad_way = {.sigev_notify = 77, .sigev_signo = SIGUSR1};
  timer_t none;
  FAILS(EINVAL, timer_create, 9999, NULL, &none);
  FAILS(EINVAL, timer_create, CLOCK_REALTIME, &bad_signal, &none);
  FAILS(EINVAL, timer_create, CLOCK_REALTIME, &bad_way, &none);
}

/* ---- timer_delete ---- */

CASE(timer_delete, before_it_expires, proceeds, EINVAL)
{
  struct itimerspec left;
  make_with_signal();
  set(hour, never);
  RETURNS(0, timer_delete, timer);
  sleep(2 * HOUR);
  EXPECT(!rings);
  FAILS(EINVAL, timer_delete, timer);
  FAILS(EINVAL, timer_gettime, timer, &left);
  FAILS(EINVAL, timer_getoverrun, timer);
}

static void delete_timer(void)
{
  RETURNS(0, timer_delete, timer);
}

CASE(timer_delete, by_another, in_time, too_late)
{
  make_with_signal();
  set(soon, never);
  elsewhere(delete_timer);
  SAW(GET(rings) ? "too_late" : "in_time");
}
