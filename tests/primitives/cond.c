/* SPDX-License-Identifier: Apache-2.0
 *
 * Condition variables: who is woken, by what, on which clock, and what must not be done to them.
 */
#include "case.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, waiting, woken;

static void lock(void)
{
  EXPECT(pthread_mutex_lock(&m) == 0);
}

static void unlock(void)
{
  EXPECT(pthread_mutex_unlock(&m) == 0);
}

static void make_mutex(int type, int robustness)
{
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  EXPECT(pthread_mutexattr_settype(&attr, type) == 0);
  EXPECT(pthread_mutexattr_setrobust(&attr, robustness) == 0);
  EXPECT(pthread_mutex_init(&m, &attr) == 0);
}

static void make(clockid_t clock)
{
  pthread_condattr_t attr;
  EXPECT(pthread_condattr_init(&attr) == 0);
  EXPECT(pthread_condattr_setclock(&attr, clock) == 0);
  RETURNS(0, pthread_cond_init, &c, &attr);
  EXPECT(pthread_condattr_destroy(&attr) == 0);
}

static void wait_until_ready(void)
{
  lock();
  while (!ready)
    RETURNS(0, pthread_cond_wait, &c, &m);
  unlock();
}

static void make_ready(void)
{
  lock();
  ready = 1;
  RETURNS(0, pthread_cond_signal, &c);
  unlock();
}

/* One wait, whatever it is woken by. */
static void *wait_once(void *name)
{
  lock();
  waiting++;
  RETURNS(0, pthread_cond_wait, &c, &m);
  woken++;
  if (name && woken == 1)
    SEE("pthread_cond_signal", (const char *)name);
  unlock();
  return NULL;
}

static void wait_until_they_wait(int threads)
{
  for (;;) {
    lock();
    if (waiting == threads)
      return;
    unlock();
    sched_yield();
  }
}

/* ---- init, destroy ---- */

CASE(pthread_cond_init, default_attributes, proceeds)
{
  RETURNS(0, pthread_cond_init, &c, NULL);
  RETURNS(0, pthread_cond_signal, &c);
  RETURNS(0, pthread_cond_destroy, &c);
}

CASE(pthread_cond_init, both_clocks, proceeds)
{
  pthread_condattr_t attr;
  make(CLOCK_REALTIME);
  RETURNS(0, pthread_cond_destroy, &c);
  make(CLOCK_MONOTONIC);
  pthread_condattr_init(&attr);
  EXPECT(pthread_condattr_setclock(&attr, CLOCK_PROCESS_CPUTIME_ID) == EINVAL);
}

MISUSE(pthread_cond_init, awaited, "initialises a condition variable that threads wait on")
{
  start(wait_once, NULL);
  wait_until_they_wait(1);
  unlock();
  pthread_cond_init(&c, NULL);
}

static void use_one_on_the_stack(void)
{
  pthread_cond_t local = PTHREAD_COND_INITIALIZER;
  RETURNS(0, pthread_cond_signal, &local);
  RETURNS(0, pthread_cond_destroy, &local);
}

CASE(pthread_cond_destroy, then_static_initialiser, proceeds)
{
  use_one_on_the_stack();
  use_one_on_the_stack();
}

CASE(pthread_cond_destroy, then_init, proceeds)
{
  RETURNS(0, pthread_cond_destroy, &c);
  RETURNS(0, pthread_cond_init, &c, NULL);
  blocks_until("pthread_cond_wait", wait_until_ready, make_ready);
}

/* POSIX allows it as soon as all of them are woken. */
CASE(pthread_cond_destroy, right_after_broadcast, proceeds)
{
  pthread_t a = start(wait_once, NULL), b = start(wait_once, NULL);
  wait_until_they_wait(2);
  RETURNS(0, pthread_cond_broadcast, &c);
  unlock();
  RETURNS(0, pthread_cond_destroy, &c);
  finish(a);
  finish(b);
}

MISUSE(pthread_cond_destroy, awaited, "destroys a condition variable that threads wait on")
{
  start(wait_once, NULL);
  wait_until_they_wait(1);
  unlock();
  pthread_cond_destroy(&c);
}

MISUSE(pthread_cond_destroy, twice, "uses a condition variable that was destroyed")
{
  pthread_cond_destroy(&c);
  pthread_cond_destroy(&c);
}

/* ---- wait ---- */

CASE(pthread_cond_wait, until_signalled, blocks, proceeds)
{
  blocks_until("pthread_cond_wait", wait_until_ready, make_ready);
}

static void hold_it_after_the_signal(void)
{
  lock();
  ready = 1;
  RETURNS(0, pthread_cond_signal, &c);
  sched_yield();
  EXPECT(!GET(left_));
  unlock();
}

CASE(pthread_cond_wait, needs_the_mutex_again, blocks)
{
  blocks_until("pthread_cond_wait", wait_until_ready, hold_it_after_the_signal);
}

static void take_the_mutex_while_it_waits(void)
{
  lock();
  if (waiting)
    SEE("pthread_cond_wait", "gives_up_the_mutex");
  ready = 1;
  pthread_cond_signal(&c);
  unlock();
}

static void announce_and_wait(void)
{
  lock();
  waiting = 1;
  while (!ready)
    RETURNS(0, pthread_cond_wait, &c, &m);
  unlock();
}

CASE(pthread_cond_wait, gives_up_the_mutex, gives_up_the_mutex)
{
  pthread_t thread = start_call(announce_and_wait);
  take_the_mutex_while_it_waits();
  finish(thread);
}

static void wait_for_a_reason(void)
{
  lock();
  EXPECT(pthread_cond_wait(&c, &m) == 0);
  EXPECT(ready);
  SAW("woken");
  unlock();
}

CASE(pthread_cond_wait, never_spurious_by_default, woken)
{
  pthread_t thread = start_call(wait_for_a_reason);
  let_others_run();
  lock();
  ready = 1;
  RETURNS(0, pthread_cond_signal, &c);
  unlock();
  pthread_cancel(thread); /* in case it came too late for the signal */
  finish(thread);
}

static void wait_for_nothing(void)
{
  lock();
  RETURNS(0, pthread_cond_wait, &c, &m);
  EXPECT(!ready);
  SAW("spurious");
  unlock();
}

CASE_WITH("--spurious", pthread_cond_wait, spurious_on_request, spurious)
{
  elsewhere(wait_for_nothing);
}

CASE_WITH("--spurious", pthread_cond_wait, loops_stand_spurious_ones)
{
  pthread_t thread = start_call(wait_until_ready);
  make_ready();
  finish(thread);
}

CASE(pthread_cond_wait, not_the_owner, EPERM)
{
  make_mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  RETURNS(EPERM, pthread_cond_wait, &c, &m);
  struct timespec at = after(CLOCK_REALTIME, 1);
  RETURNS(EPERM, pthread_cond_timedwait, &c, &m, &at);
  RETURNS(EPERM, pthread_cond_clockwait, &c, &m, CLOCK_REALTIME, &at);
}

static void take_it_from_the_waiter_and_die(void)
{
  lock();
  ready = 1;
  RETURNS(0, pthread_cond_signal, &c);
}

static void die_while_it_waits(void)
{
  make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  lock();
  start_call(take_it_from_the_waiter_and_die);
}

CASE(pthread_cond_wait, owner_died, EOWNERDEAD)
{
  die_while_it_waits();
  RETURNS(EOWNERDEAD, pthread_cond_wait, &c, &m);
  EXPECT(ready == 1);
  EXPECT(pthread_mutex_consistent(&m) == 0);
  unlock();
}

CASE(pthread_cond_timedwait, owner_died, EOWNERDEAD, ETIMEDOUT)
{
  struct timespec at = after(CLOCK_REALTIME, 1);
  die_while_it_waits();
  int error = CALL(pthread_cond_timedwait, &c, &m, &at);
  EXPECT(error == ETIMEDOUT || (error == EOWNERDEAD && pthread_mutex_consistent(&m) == 0));
}

CASE(pthread_cond_clockwait, owner_died, EOWNERDEAD, ETIMEDOUT)
{
  struct timespec at = after(CLOCK_MONOTONIC, 1);
  die_while_it_waits();
  int error = CALL(pthread_cond_clockwait, &c, &m, CLOCK_MONOTONIC, &at);
  EXPECT(error == ETIMEDOUT || (error == EOWNERDEAD && pthread_mutex_consistent(&m) == 0));
}

static void spoil_it(void)
{
  elsewhere(lock); /* and that thread ends with it */
  EXPECT(pthread_mutex_lock(&m) == EOWNERDEAD);
  RETURNS(0, pthread_cond_signal, &c);
  unlock(); /* not made consistent: nobody gets it any more */
}

CASE(pthread_cond_wait, unrecoverable, ENOTRECOVERABLE)
{
  make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  lock();
  pthread_t thread = start_call(spoil_it);
  RETURNS(ENOTRECOVERABLE, pthread_cond_wait, &c, &m);
  finish(thread);
}

CASE(pthread_cond_timedwait, unrecoverable, ENOTRECOVERABLE, pthread_cond_clockwait:ENOTRECOVERABLE)
{
  struct timespec at = after(CLOCK_REALTIME, 1);
  make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  lock();
  pthread_t thread = start_call(spoil_it);
  int error;
  do { /* timed out, and back before anybody could take the mutex */
    error = CALL(pthread_cond_timedwait, &c, &m, &at);
    if (error == ETIMEDOUT)
      error = CALL(pthread_cond_clockwait, &c, &m, CLOCK_REALTIME, &at);
  } while (error == ETIMEDOUT);
  if (error == EOWNERDEAD)
    exit(0); /* back after one died with it and before the other spoilt it */
  EXPECT(error == ENOTRECOVERABLE);
  finish(thread);
}

DEADLOCK(pthread_cond_wait, never_signalled, "waits on c, which nobody is left to signal")
{
  lock();
  pthread_cond_wait(&c, &m);
}

static void signal_without_a_word(void)
{
  pthread_cond_signal(&c);
}

DEADLOCK(pthread_cond_wait, lost_signal, "waits on c, which nobody is left to signal")
{
  pthread_t thread = start_call(signal_without_a_word);
  lock();
  pthread_cond_wait(&c, &m);
  unlock();
  finish(thread);
}

static void *wait_and_pass_on(void *unused)
{
  wait_once(NULL);
  lock();
  RETURNS(0, pthread_cond_signal, &c);
  unlock();
  return unused;
}

/* Who begins to wait after a signal does not get it: it is for those who waited. */
CASE(pthread_cond_wait, no_stealing_by_a_late_waiter, proceeds)
{
  pthread_t thread = start(wait_and_pass_on, NULL);
  wait_until_they_wait(1);
  RETURNS(0, pthread_cond_signal, &c);
  EXPECT(!woken);
  RETURNS(0, pthread_cond_wait, &c, &m);
  EXPECT(woken == 1);
  unlock();
  finish(thread);
  SEE("pthread_cond_wait", "proceeds");
}

/* Unlocked in another order than locked; the one still held is still held. */
CASE(pthread_mutex_unlock, out_of_order)
{
  lock();
  pthread_mutex_lock(&second);
  unlock();
  RETURNS(EBUSY, pthread_mutex_trylock, &second);
  RETURNS(0, pthread_mutex_trylock, &m);
  pthread_mutex_unlock(&second);
  unlock();
}

/* Only one of the two locks is given up, as glibc does it. */
DEADLOCK(pthread_cond_wait, mutex_held_twice, "deadlock")
{
  make_mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  lock();
  lock();
  pthread_t thread = start_call(make_ready);
  while (!ready)
    pthread_cond_wait(&c, &m);
  finish(thread);
}

MISUSE(pthread_cond_wait, without_the_mutex, "without holding the mutex")
{
  pthread_cond_wait(&c, &m);
}

static void wait_on_m(void)
{
  pthread_mutex_lock(&m);
  pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
}

static void *wait_on_second(void *unused)
{
  pthread_mutex_lock(&second);
  pthread_cond_wait(&c, &second);
  pthread_mutex_unlock(&second);
  return unused;
}

BUG(property, pthread_cond_wait, different_mutexes, "that other threads wait on with another mutex")
{
  start(wait_on_second, NULL);
  wait_on_m();
}

MISUSE(pthread_cond_wait, destroyed, "uses a condition variable that was destroyed")
{
  pthread_cond_destroy(&c);
  lock();
  pthread_cond_wait(&c, &m);
}

/* ---- timedwait, clockwait ---- */

static int waited_for; /* the kind of wait the threads below use */

static int timed(const struct timespec *at)
{
  if (waited_for < 0)
    return CALL(pthread_cond_timedwait, &c, &m, at);
  return CALL(pthread_cond_clockwait, &c, &m, waited_for, at);
}

static void wait_five_seconds(clockid_t clock)
{
  struct timespec at = after(clock, 5);
  int error = 0;
  lock();
  while (!ready && !error)
    error = timed(&at);
  EXPECT(error == 0 || error == ETIMEDOUT);
  EXPECT(ready || passed(clock, at));
  if (ready && !error)
    SAW("woken");
  unlock();
}

static void wait_on_the_wall_clock(void)
{
  wait_five_seconds(CLOCK_REALTIME);
}

static void wait_on_the_monotonic_clock(void)
{
  wait_five_seconds(CLOCK_MONOTONIC);
}

static void signal_or_timeout(int kind, void (*wait)(void))
{
  waited_for = kind;
  pthread_t thread = start_call(wait);
  make_ready();
  finish(thread);
}

CASE(pthread_cond_timedwait, wall_clock, woken, proceeds, ETIMEDOUT)
{
  signal_or_timeout(-1, wait_on_the_wall_clock);
}

CASE(pthread_cond_timedwait, monotonic_clock, woken, proceeds, ETIMEDOUT)
{
  make(CLOCK_MONOTONIC);
  signal_or_timeout(-1, wait_on_the_monotonic_clock);
}

CASE(pthread_cond_clockwait, wall_clock, woken, proceeds, ETIMEDOUT)
{
  make(CLOCK_MONOTONIC);
  signal_or_timeout(CLOCK_REALTIME, wait_on_the_wall_clock);
}

CASE(pthread_cond_clockwait, monotonic_clock, woken, proceeds, ETIMEDOUT)
{
  signal_or_timeout(CLOCK_MONOTONIC, wait_on_the_monotonic_clock);
}

static void hold_it_over_the_deadline(void)
{
  lock();
  SET(entered_);
  sched_yield();
  unlock();
}

CASE(pthread_cond_timedwait, needs_the_mutex_again, blocks)
{
  lock();
  pthread_t thread = start_call(hold_it_over_the_deadline);
  struct timespec at = after(CLOCK_REALTIME, 1);
  RETURNS(ETIMEDOUT, pthread_cond_timedwait, &c, &m, &at);
  if (GET(entered_))
    SAW("blocks"); /* the other one had it, and has given it up */
  unlock();
  finish(thread);
}

CASE(pthread_cond_clockwait, needs_the_mutex_again, blocks)
{
  lock();
  pthread_t thread = start_call(hold_it_over_the_deadline);
  struct timespec at = after(CLOCK_MONOTONIC, 1);
  RETURNS(ETIMEDOUT, pthread_cond_clockwait, &c, &m, CLOCK_MONOTONIC, &at);
  if (GET(entered_))
    SAW("blocks");
  unlock();
  finish(thread);
}

CASE(pthread_cond_timedwait, malformed_or_past, ETIMEDOUT, EINVAL)
{
  lock();
  RETURNS(ETIMEDOUT, pthread_cond_timedwait, &c, &m, &long_ago);
  RETURNS(EINVAL, pthread_cond_timedwait, &c, &m, &too_many_ns);
  RETURNS(EINVAL, pthread_cond_timedwait, &c, &m, &negative_ns);
  unlock();
}

CASE(pthread_cond_clockwait, malformed_or_past, ETIMEDOUT, EINVAL)
{
  lock();
  RETURNS(ETIMEDOUT, pthread_cond_clockwait, &c, &m, CLOCK_REALTIME, &long_ago);
  RETURNS(ETIMEDOUT, pthread_cond_clockwait, &c, &m, CLOCK_MONOTONIC, &long_ago);
  RETURNS(EINVAL, pthread_cond_clockwait, &c, &m, CLOCK_MONOTONIC, &too_many_ns);
  RETURNS(EINVAL, pthread_cond_clockwait, &c, &m, CLOCK_PROCESS_CPUTIME_ID, &long_ago);
  unlock();
}

MISUSE(pthread_cond_timedwait, without_the_mutex, "without holding the mutex")
{
  pthread_cond_timedwait(&c, &m, &long_ago);
}

MISUSE(pthread_cond_clockwait, without_the_mutex, "without holding the mutex")
{
  pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &long_ago);
}

MISUSE(pthread_cond_timedwait, different_mutexes, "that other threads wait on with another mutex")
{
  start(wait_on_second, NULL);
  lock();
  pthread_cond_timedwait(&c, &m, &long_ago);
  exit(0);
}

MISUSE(pthread_cond_clockwait, different_mutexes, "that other threads wait on with another mutex")
{
  start(wait_on_second, NULL);
  lock();
  pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &long_ago);
  exit(0);
}

MISUSE(pthread_cond_timedwait, destroyed, "uses a condition variable that was destroyed")
{
  pthread_cond_destroy(&c);
  lock();
  pthread_cond_timedwait(&c, &m, &long_ago);
}

MISUSE(pthread_cond_clockwait, destroyed, "uses a condition variable that was destroyed")
{
  pthread_cond_destroy(&c);
  lock();
  pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &long_ago);
}

/* ---- signal, broadcast ---- */

CASE(pthread_cond_signal, wakes_any_one, proceeds, wakes_a, wakes_b, wakes_c)
{
  static const char *const names[] = {"wakes_a", "wakes_b", "wakes_c"};
  for (int i = 0; i < 3; i++)
    start(wait_once, (void *)names[i]);
  wait_until_they_wait(3);
  RETURNS(0, pthread_cond_signal, &c);
  unlock();
  let_others_run();
  lock();
  EXPECT(woken <= 1);
  exit(0);
}

CASE(pthread_cond_signal, one_for_each)
{
  pthread_t a = start(wait_once, NULL), b = start(wait_once, NULL);
  wait_until_they_wait(2);
  RETURNS(0, pthread_cond_signal, &c);
  RETURNS(0, pthread_cond_signal, &c);
  unlock();
  finish(a);
  finish(b);
  EXPECT(woken == 2);
}

CASE(pthread_cond_signal, nobody_waits, proceeds)
{
  RETURNS(0, pthread_cond_signal, &c);
  RETURNS(0, pthread_cond_broadcast, &c);
}

DEADLOCK(pthread_cond_signal, one_for_two, "waits on c, which nobody is left to signal")
{
  pthread_t a = start(wait_once, NULL), b = start(wait_once, NULL);
  wait_until_they_wait(2);
  pthread_cond_signal(&c);
  unlock();
  finish(a);
  finish(b);
}

MISUSE(pthread_cond_signal, destroyed, "uses a condition variable that was destroyed")
{
  pthread_cond_destroy(&c);
  pthread_cond_signal(&c);
}

CASE(pthread_cond_broadcast, wakes_all, proceeds, wakes_all)
{
  pthread_t thread[3];
  for (int i = 0; i < 3; i++)
    thread[i] = start(wait_once, NULL);
  wait_until_they_wait(3);
  RETURNS(0, pthread_cond_broadcast, &c);
  unlock();
  for (int i = 0; i < 3; i++)
    finish(thread[i]);
  EXPECT(woken == 3);
  SAW("wakes_all");
}

/* Who comes after the broadcast is not meant by it. */
DEADLOCK(pthread_cond_broadcast, too_early, "waits on c, which nobody is left to signal")
{
  pthread_t thread = start(wait_once, NULL);
  pthread_cond_broadcast(&c);
  finish(thread);
}

MISUSE(pthread_cond_broadcast, destroyed, "uses a condition variable that was destroyed")
{
  pthread_cond_destroy(&c);
  pthread_cond_broadcast(&c);
}
