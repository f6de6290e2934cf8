/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes: every type, every way to lock, robust ones, and what must not be done to them.
 */
#include "case.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void make(int type, int robustness)
{
  pthread_mutexattr_t attr;
  EXPECT(pthread_mutexattr_init(&attr) == 0);
  EXPECT(pthread_mutexattr_settype(&attr, type) == 0);
  EXPECT(pthread_mutexattr_setrobust(&attr, robustness) == 0);
  RETURNS(0, pthread_mutex_init, &m, &attr);
  EXPECT(pthread_mutexattr_destroy(&attr) == 0);
}

static void make_robust(void)
{
  make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
}

static void lock(void)
{
  RETURNS(0, pthread_mutex_lock, &m);
}

static void unlock(void)
{
  RETURNS(0, pthread_mutex_unlock, &m);
}

static void destroy(void)
{
  RETURNS(0, pthread_mutex_destroy, &m);
}

static void lock_and_unlock(void)
{
  lock();
  unlock();
}

/* ---- init, destroy ---- */

CASE(pthread_mutex_init, default_attributes, proceeds)
{
  RETURNS(0, pthread_mutex_init, &m, NULL);
  lock_and_unlock();
  destroy();
}

CASE(pthread_mutex_init, every_type, proceeds)
{
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                              PTHREAD_MUTEX_ADAPTIVE_NP};
  for (size_t i = 0; i < LENGTH(types); i++) {
    make(types[i], PTHREAD_MUTEX_STALLED);
    lock_and_unlock();
    destroy();
  }
}

CASE(pthread_mutex_init, priority_protocols)
{
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  EXPECT(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
  EXPECT(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
  RETURNS(0, pthread_mutex_init, &m, &attr);
  lock();
  blocks_until("pthread_mutex_lock", lock_and_unlock, unlock);
  destroy();
}

MISUSE(pthread_mutex_init, locked, "initialises a mutex that is locked")
{
  lock();
  pthread_mutex_init(&m, NULL);
}

CASE(pthread_mutex_destroy, then_init, proceeds)
{
  destroy();
  RETURNS(0, pthread_mutex_init, &m, NULL);
  lock_and_unlock();
  destroy();
}

static void use_one_on_the_stack(void)
{
  pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;
  RETURNS(0, pthread_mutex_lock, &local);
  RETURNS(0, pthread_mutex_unlock, &local);
  RETURNS(0, pthread_mutex_destroy, &local);
}

CASE(pthread_mutex_destroy, then_static_initialiser)
{
  use_one_on_the_stack();
  use_one_on_the_stack();
  destroy();
  m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  lock_and_unlock();
}

CASE(pthread_mutex_destroy, then_another_type)
{
  make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  lock();
  lock();
  unlock();
  unlock();
  destroy();
  make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  lock();
  RETURNS(EDEADLK, pthread_mutex_lock, &m);
  unlock();
}

MISUSE(pthread_mutex_destroy, locked, "destroys a mutex that is locked")
{
  lock();
  pthread_mutex_destroy(&m);
}

static void destroy_it(void)
{
  pthread_mutex_destroy(&m);
}

MISUSE(pthread_mutex_destroy, locked_by_another, "destroys a mutex that is locked")
{
  lock();
  elsewhere(destroy_it);
}

MISUSE(pthread_mutex_destroy, awaited, "a mutex that")
{
  lock();
  pthread_t waiter = start_call(lock_and_unlock);
  unlock();
  pthread_mutex_destroy(&m);
  finish(waiter);
}

MISUSE(pthread_mutex_destroy, twice, "uses a mutex that was destroyed")
{
  destroy();
  pthread_mutex_destroy(&m);
}

/* ---- lock ---- */

CASE(pthread_mutex_lock, free, proceeds)
{
  lock_and_unlock();
  RETURNS(0, pthread_mutex_unlock, (lock(), &m));
}

CASE(pthread_mutex_lock, held_by_another, blocks)
{
  lock();
  blocks_until("pthread_mutex_lock", lock_and_unlock, unlock);
}

static int counter;

static void count_up(void)
{
  lock();
  counter++;
  unlock();
}

CASE(pthread_mutex_lock, excludes_and_orders)
{
  pthread_t thread[3];
  for (int i = 0; i < 3; i++)
    thread[i] = start_call(count_up);
  for (int i = 0; i < 3; i++)
    finish(thread[i]);
  EXPECT(counter == 3);
}

static int first;

static void be_first(void *who)
{
  lock();
  if (!first)
    first = *(const char *)who;
  unlock();
}

static void *try_to_be_first(void *who)
{
  be_first(who);
  return NULL;
}

CASE(pthread_mutex_lock, any_waiter_may_be_next, next_a, next_b, next_c)
{
  pthread_t thread[3];
  char label[] = "next_?";
  lock();
  for (int i = 0; i < 3; i++)
    thread[i] = start(try_to_be_first, (void *)&"abc"[i]);
  let_others_run();
  unlock();
  for (int i = 0; i < 3; i++)
    finish(thread[i]);
  label[5] = (char)first;
  SAW(label);
}

CASE(pthread_mutex_lock, recursive)
{
  make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  for (int i = 0; i < 3; i++)
    lock();
  unlock();
  unlock();
  blocks_until("pthread_mutex_lock", lock_and_unlock, unlock);
}

CASE(pthread_mutex_lock, errorcheck_twice, EDEADLK)
{
  make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  lock();
  RETURNS(EDEADLK, pthread_mutex_lock, &m);
  unlock();
  lock_and_unlock();
}

CASE(pthread_mutex_lock, adaptive)
{
  make(PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_STALLED);
  lock();
  blocks_until("pthread_mutex_lock", lock_and_unlock, unlock);
}

DEADLOCK(pthread_mutex_lock, normal_twice, "which it holds itself")
{
  make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
  lock();
  pthread_mutex_lock(&m);
}

DEADLOCK(pthread_mutex_lock, static_twice, "which it holds itself")
{
  lock();
  pthread_mutex_lock(&m);
}

DEADLOCK(pthread_mutex_lock, adaptive_twice, "which it holds itself")
{
  make(PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_STALLED);
  lock();
  pthread_mutex_lock(&m);
}

DEADLOCK(pthread_mutex_lock, robust_twice, "which it holds itself")
{
  make_robust();
  lock();
  pthread_mutex_lock(&m);
}

static void lock_other_then_m(void)
{
  pthread_mutex_lock(&other);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&other);
}

DEADLOCK(pthread_mutex_lock, opposite_orders, "wait for each other")
{
  pthread_t thread = start_call(lock_other_then_m);
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&other);
  pthread_mutex_unlock(&other);
  pthread_mutex_unlock(&m);
  finish(thread);
}

DEADLOCK(pthread_mutex_lock, holder_has_ended, "held when it ended")
{
  elsewhere(lock);
  pthread_mutex_lock(&m);
}

MISUSE(pthread_mutex_lock, destroyed, "uses a mutex that was destroyed")
{
  destroy();
  pthread_mutex_lock(&m);
}

BUG(memory, pthread_mutex_lock, in_freed_memory, "use after free")
{
  pthread_mutex_t *volatile heap = malloc(sizeof *heap);
  pthread_mutex_init(heap, NULL);
  pthread_mutex_t *freed = heap;
  free(heap);
  pthread_mutex_lock(freed);
}

/* ---- trylock ---- */

static void try_it(void)
{
  int error = CALL(pthread_mutex_trylock, &m);
  EXPECT(error == 0 || error == EBUSY);
  if (!error)
    unlock();
}

CASE(pthread_mutex_trylock, free_or_held, proceeds, EBUSY)
{
  pthread_t thread = start_call(try_it);
  lock_and_unlock();
  finish(thread);
}

CASE(pthread_mutex_trylock, held_by_self, EBUSY)
{
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
  for (size_t i = 0; i < LENGTH(types); i++) {
    make(types[i], PTHREAD_MUTEX_STALLED);
    RETURNS(0, pthread_mutex_trylock, &m);
    RETURNS(EBUSY, pthread_mutex_trylock, &m);
    unlock();
    destroy();
  }
}

static void find_it_busy(void)
{
  RETURNS(EBUSY, pthread_mutex_trylock, &m);
}

CASE(pthread_mutex_trylock, recursive, proceeds, EBUSY)
{
  make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  RETURNS(0, pthread_mutex_trylock, &m);
  RETURNS(0, pthread_mutex_trylock, &m);
  elsewhere(find_it_busy);
  unlock();
  elsewhere(find_it_busy);
  unlock();
  elsewhere(lock_and_unlock);
}

MISUSE(pthread_mutex_trylock, destroyed, "uses a mutex that was destroyed")
{
  destroy();
  pthread_mutex_trylock(&m);
}

/* ---- timedlock, clocklock ---- */

static void lock_with_timeout(void)
{
  struct timespec at = after(CLOCK_REALTIME, 5);
  int error = CALL(pthread_mutex_timedlock, &m, &at);
  EXPECT(error == 0 || error == ETIMEDOUT);
  if (error)
    EXPECT(passed(CLOCK_REALTIME, at));
  else
    unlock();
}

CASE(pthread_mutex_timedlock, free_or_held, proceeds, ETIMEDOUT)
{
  pthread_t thread = start_call(lock_with_timeout);
  lock_and_unlock();
  finish(thread);
}

static bool timed_lock(void)
{
  struct timespec at = after(CLOCK_REALTIME, 1000);
  if (CALL(pthread_mutex_timedlock, &m, &at))
    return false;
  unlock();
  return true;
}

CASE(pthread_mutex_timedlock, waits_until_it_is_free, blocks, ETIMEDOUT)
{
  lock();
  blocks_until_or_times_out("pthread_mutex_timedlock", timed_lock, unlock);
}

static void find_it_timed_out(void)
{
  RETURNS(ETIMEDOUT, pthread_mutex_timedlock, &m, &long_ago);
  RETURNS(EINVAL, pthread_mutex_timedlock, &m, &too_many_ns);
  RETURNS(EINVAL, pthread_mutex_timedlock, &m, &negative_ns);
}

CASE(pthread_mutex_timedlock, held_for_ever, ETIMEDOUT, EINVAL)
{
  lock();
  elsewhere(find_it_timed_out);
  unlock();
  RETURNS(0, pthread_mutex_timedlock, &m, &long_ago);
}

CASE(pthread_mutex_timedlock, held_by_self, ETIMEDOUT, EDEADLK)
{
  lock();
  find_it_timed_out();
  unlock();
  make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  lock();
  RETURNS(EDEADLK, pthread_mutex_timedlock, &m, &long_ago);
  unlock();
  destroy();
  make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  lock();
  RETURNS(0, pthread_mutex_timedlock, &m, &long_ago);
}

MISUSE(pthread_mutex_timedlock, destroyed, "uses a mutex that was destroyed")
{
  destroy();
  pthread_mutex_timedlock(&m, &long_ago);
}

static void lock_on_clock(clockid_t clock)
{
  struct timespec at = after(clock, 5);
  int error = CALL(pthread_mutex_clocklock, &m, clock, &at);
  EXPECT(error == 0 || error == ETIMEDOUT);
  if (error)
    EXPECT(passed(clock, at));
  else
    unlock();
}

static void lock_on_both_clocks(void)
{
  lock_on_clock(CLOCK_MONOTONIC);
  lock_on_clock(CLOCK_REALTIME);
}

CASE(pthread_mutex_clocklock, free_or_held, proceeds, ETIMEDOUT)
{
  pthread_t thread = start_call(lock_on_both_clocks);
  lock_and_unlock();
  finish(thread);
}

static bool clock_lock(void)
{
  struct timespec at = after(CLOCK_MONOTONIC, 1000);
  if (CALL(pthread_mutex_clocklock, &m, CLOCK_MONOTONIC, &at))
    return false;
  unlock();
  return true;
}

CASE(pthread_mutex_clocklock, waits_until_it_is_free, blocks, ETIMEDOUT)
{
  lock();
  blocks_until_or_times_out("pthread_mutex_clocklock", clock_lock, unlock);
}

CASE(pthread_mutex_clocklock, held_by_self, ETIMEDOUT, EINVAL, EDEADLK)
{
  lock();
  RETURNS(ETIMEDOUT, pthread_mutex_clocklock, &m, CLOCK_MONOTONIC, &long_ago);
  RETURNS(ETIMEDOUT, pthread_mutex_clocklock, &m, CLOCK_REALTIME, &long_ago);
  RETURNS(EINVAL, pthread_mutex_clocklock, &m, CLOCK_MONOTONIC, &too_many_ns);
  RETURNS(EINVAL, pthread_mutex_clocklock, &m, CLOCK_PROCESS_CPUTIME_ID, &long_ago);
  unlock();
  make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  lock();
  RETURNS(EDEADLK, pthread_mutex_clocklock, &m, CLOCK_MONOTONIC, &long_ago);
}

MISUSE(pthread_mutex_clocklock, destroyed, "uses a mutex that was destroyed")
{
  destroy();
  pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &long_ago);
}

/* ---- unlock ---- */

CASE(pthread_mutex_unlock, held, proceeds)
{
  lock_and_unlock();
}

static void may_not_unlock(void)
{
  RETURNS(EPERM, pthread_mutex_unlock, &m);
}

static void check_owner_of(int type, int robustness)
{
  make(type, robustness);
  may_not_unlock();
  lock();
  elsewhere(may_not_unlock);
  unlock();
  may_not_unlock();
  destroy();
}

CASE(pthread_mutex_unlock, types_that_check_the_owner, EPERM)
{
  check_owner_of(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  check_owner_of(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  check_owner_of(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
}

MISUSE(pthread_mutex_unlock, not_locked, "unlocks a mutex that is not locked")
{
  pthread_mutex_unlock(&m);
}

MISUSE(pthread_mutex_unlock, locked_once_unlocked_twice, "unlocks a mutex that is not locked")
{
  lock_and_unlock();
  pthread_mutex_unlock(&m);
}

static void unlock_it(void)
{
  pthread_mutex_unlock(&m);
}

MISUSE(pthread_mutex_unlock, held_by_another, "unlocks a mutex that another thread holds")
{
  lock();
  elsewhere(unlock_it);
}

MISUSE(pthread_mutex_unlock, destroyed, "uses a mutex that was destroyed")
{
  destroy();
  pthread_mutex_unlock(&m);
}

/* ---- robust mutexes ---- */

static void die_with_it(void)
{
  make_robust();
  elsewhere(lock);
}

CASE(pthread_mutex_consistent, after_owner_died, proceeds, pthread_mutex_lock:EOWNERDEAD)
{
  die_with_it();
  RETURNS(EOWNERDEAD, pthread_mutex_lock, &m);
  RETURNS(0, pthread_mutex_consistent, &m);
  unlock();
  lock_and_unlock();
  destroy();
}

CASE(pthread_mutex_consistent, nothing_to_repair, EINVAL)
{
  RETURNS(EINVAL, pthread_mutex_consistent, &m);
  make_robust();
  RETURNS(EINVAL, pthread_mutex_consistent, &m);
  lock();
  RETURNS(EINVAL, pthread_mutex_consistent, &m);
  unlock();
}

CASE(pthread_mutex_lock, owner_dies_again, EOWNERDEAD)
{
  die_with_it();
  RETURNS(EOWNERDEAD, pthread_mutex_lock, &m);
  unlock();
  destroy();
  die_with_it();
  RETURNS(EOWNERDEAD, pthread_mutex_trylock, &m);
  RETURNS(0, pthread_mutex_consistent, &m);
  unlock();
}

static void see_dead_owner_and_die(void)
{
  RETURNS(EOWNERDEAD, pthread_mutex_lock, &m);
}

CASE(pthread_mutex_lock, second_owner_dies_without_repair, EOWNERDEAD)
{
  die_with_it();
  elsewhere(see_dead_owner_and_die);
  RETURNS(EOWNERDEAD, pthread_mutex_lock, &m);
  RETURNS(0, pthread_mutex_consistent, &m);
  unlock();
}

static void *lock_robust(void *unused)
{
  int error = CALL(pthread_mutex_lock, &m);
  if (error == EOWNERDEAD)
    RETURNS(0, pthread_mutex_consistent, &m);
  unlock();
  return unused;
}

static void lock_and_die(void)
{
  lock();
  SET(entered_);
}

CASE(pthread_mutex_lock, owner_dies_while_others_wait, proceeds, EOWNERDEAD)
{
  make_robust();
  pthread_t owner = start_call(lock_and_die);
  while (!GET(entered_))
    sched_yield();
  pthread_t a = start(lock_robust, NULL), b = start(lock_robust, NULL);
  finish(owner);
  finish(a);
  finish(b);
}

CASE(pthread_mutex_lock, unrecoverable, ENOTRECOVERABLE)
{
  die_with_it();
  RETURNS(EOWNERDEAD, pthread_mutex_lock, &m);
  unlock();
  RETURNS(ENOTRECOVERABLE, pthread_mutex_lock, &m);
  RETURNS(ENOTRECOVERABLE, pthread_mutex_trylock, &m);
  struct timespec at = after(CLOCK_REALTIME, 1);
  RETURNS(ENOTRECOVERABLE, pthread_mutex_timedlock, &m, &at);
  RETURNS(ENOTRECOVERABLE, pthread_mutex_clocklock, &m, CLOCK_REALTIME, &at);
  RETURNS(EPERM, pthread_mutex_unlock, &m);
  RETURNS(EINVAL, pthread_mutex_consistent, &m);
  destroy();
}

static void wait_for_the_unrecoverable(void)
{
  SET(entered_);
  RETURNS(ENOTRECOVERABLE, pthread_mutex_lock, &m);
}

CASE(pthread_mutex_lock, unrecoverable_while_waiting, while_waiting, ENOTRECOVERABLE)
{
  die_with_it();
  RETURNS(EOWNERDEAD, pthread_mutex_lock, &m);
  pthread_t waiter = start_call(wait_for_the_unrecoverable);
  let_others_run();
  if (GET(entered_))
    SAW("while_waiting");
  unlock();
  finish(waiter);
}

CASE(pthread_mutex_timedlock, owner_died, EOWNERDEAD)
{
  struct timespec at = after(CLOCK_REALTIME, 1);
  die_with_it();
  RETURNS(EOWNERDEAD, pthread_mutex_timedlock, &m, &at);
  RETURNS(0, pthread_mutex_consistent, &m);
  unlock();
}

CASE(pthread_mutex_clocklock, owner_died, EOWNERDEAD)
{
  struct timespec at = after(CLOCK_MONOTONIC, 1);
  die_with_it();
  RETURNS(EOWNERDEAD, pthread_mutex_clocklock, &m, CLOCK_MONOTONIC, &at);
  RETURNS(0, pthread_mutex_consistent, &m);
  unlock();
}

static void lock_twice(void)
{
  lock();
  lock();
}

CASE(pthread_mutex_consistent, recursive_and_robust)
{
  make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ROBUST);
  elsewhere(lock_twice);
  RETURNS(EOWNERDEAD, pthread_mutex_lock, &m);
  lock();
  RETURNS(0, pthread_mutex_consistent, &m);
  unlock();
  elsewhere(find_it_busy);
  unlock();
  elsewhere(lock_and_unlock);
}
