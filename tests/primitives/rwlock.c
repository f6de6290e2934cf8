/* SPDX-License-Identifier: Apache-2.0
 *
 * Read-write locks: readers together, writers alone, both preferences, try and timed, and misuse.
 */
#include "case.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void make(int kind)
{
  pthread_rwlockattr_t attr;
  EXPECT(pthread_rwlockattr_init(&attr) == 0);
  EXPECT(pthread_rwlockattr_setkind_np(&attr, kind) == 0);
  RETURNS(0, pthread_rwlock_init, &l, &attr);
  EXPECT(pthread_rwlockattr_destroy(&attr) == 0);
}

static void read_lock(void)
{
  RETURNS(0, pthread_rwlock_rdlock, &l);
}

static void write_lock(void)
{
  RETURNS(0, pthread_rwlock_wrlock, &l);
}

static void unlock(void)
{
  RETURNS(0, pthread_rwlock_unlock, &l);
}

static void destroy(void)
{
  RETURNS(0, pthread_rwlock_destroy, &l);
}

static void read_and_unlock(void)
{
  read_lock();
  unlock();
}

static void write_and_unlock(void)
{
  write_lock();
  unlock();
}

/* ---- init, destroy ---- */

CASE(pthread_rwlock_init, every_kind, proceeds)
{
  static const int kinds[] = {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NP,
                              PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP};
  RETURNS(0, pthread_rwlock_init, &l, NULL);
  destroy();
  for (size_t i = 0; i < LENGTH(kinds); i++) {
    make(kinds[i]);
    read_and_unlock();
    write_and_unlock();
    destroy();
  }
}

MISUSE(pthread_rwlock_init, locked, "initialises a read-write lock that is locked")
{
  read_lock();
  pthread_rwlock_init(&l, NULL);
}

CASE(pthread_rwlock_destroy, then_init, proceeds)
{
  destroy();
  RETURNS(0, pthread_rwlock_init, &l, NULL);
  write_and_unlock();
  destroy();
}

static void use_one_on_the_stack(void)
{
  pthread_rwlock_t local = PTHREAD_RWLOCK_INITIALIZER;
  RETURNS(0, pthread_rwlock_rdlock, &local);
  RETURNS(0, pthread_rwlock_unlock, &local);
  RETURNS(0, pthread_rwlock_destroy, &local);
}

CASE(pthread_rwlock_destroy, then_static_initialiser)
{
  use_one_on_the_stack();
  use_one_on_the_stack();
}

MISUSE(pthread_rwlock_destroy, read_locked, "destroys a read-write lock that is locked")
{
  read_lock();
  pthread_rwlock_destroy(&l);
}

MISUSE(pthread_rwlock_destroy, write_locked, "destroys a read-write lock that is locked")
{
  write_lock();
  pthread_rwlock_destroy(&l);
}

MISUSE(pthread_rwlock_destroy, awaited, "a read-write lock that")
{
  write_lock();
  pthread_t waiter = start_call(write_and_unlock);
  unlock();
  pthread_rwlock_destroy(&l);
  finish(waiter);
}

MISUSE(pthread_rwlock_destroy, twice, "uses a read-write lock that was destroyed")
{
  destroy();
  pthread_rwlock_destroy(&l);
}

/* ---- rdlock ---- */

static int readers;

static void read_together(void)
{
  read_lock();
  if (ADD(readers) == 2)
    SEE("pthread_rwlock_rdlock", "together");
  sched_yield();
  __atomic_sub_fetch(&readers, 1, __ATOMIC_SEQ_CST);
  unlock();
}

CASE(pthread_rwlock_rdlock, readers_together, proceeds, together)
{
  pthread_t thread = start_call(read_together);
  read_together();
  finish(thread);
}

CASE(pthread_rwlock_rdlock, twice_by_one_thread)
{
  read_lock();
  read_lock();
  unlock();
  blocks_until("pthread_rwlock_wrlock", write_and_unlock, unlock);
}

CASE(pthread_rwlock_rdlock, written, blocks)
{
  write_lock();
  blocks_until("pthread_rwlock_rdlock", read_and_unlock, unlock);
}

CASE(pthread_rwlock_rdlock, writer_is_self, EDEADLK)
{
  write_lock();
  RETURNS(EDEADLK, pthread_rwlock_rdlock, &l);
  unlock();
}

CASE(pthread_rwlock_rdlock, twice_while_a_writer_waits)
{
  pthread_t writer = start_call(write_and_unlock);
  read_lock();
  read_lock();
  unlock();
  unlock();
  finish(writer);
}

static void hold_for_reading(void)
{
  read_lock();
  SET(entered_);
  sched_yield();
  unlock();
}

static void read_or_stand_back(void)
{
  read_lock();
  SAW(GET(left_) ? "after_the_writer" : "before_the_writer");
  unlock();
}

static void write_in_turn(void)
{
  write_lock();
  SET(left_);
  unlock();
}

static void readers_and_a_writer(int kind)
{
  make(kind);
  read_lock();
  pthread_t writer = start_call(write_in_turn), reader = start_call(read_or_stand_back);
  sched_yield();
  unlock();
  finish(writer);
  finish(reader);
}

CASE(pthread_rwlock_rdlock, prefers_readers, before_the_writer, after_the_writer)
{
  readers_and_a_writer(PTHREAD_RWLOCK_PREFER_READER_NP);
}

CASE(pthread_rwlock_rdlock, prefers_writers, before_the_writer, after_the_writer)
{
  readers_and_a_writer(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
}

DEADLOCK(pthread_rwlock_rdlock, twice_behind_a_preferred_writer, "deadlock")
{
  make(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_t writer = start_call(write_and_unlock);
  read_lock();
  read_lock();
  unlock();
  unlock();
  finish(writer);
}

DEADLOCK(pthread_rwlock_rdlock, writer_has_ended, "held when it ended")
{
  elsewhere(write_lock);
  pthread_rwlock_rdlock(&l);
}

MISUSE(pthread_rwlock_rdlock, destroyed, "uses a read-write lock that was destroyed")
{
  destroy();
  pthread_rwlock_rdlock(&l);
}

/* ---- wrlock ---- */

CASE(pthread_rwlock_wrlock, free, proceeds)
{
  write_and_unlock();
}

CASE(pthread_rwlock_wrlock, read, blocks)
{
  read_lock();
  blocks_until("pthread_rwlock_wrlock", write_and_unlock, unlock);
}

CASE(pthread_rwlock_wrlock, written, blocks)
{
  write_lock();
  blocks_until("pthread_rwlock_wrlock", write_and_unlock, unlock);
}

CASE(pthread_rwlock_wrlock, read_by_two, blocks)
{
  pthread_t reader = start_call(hold_for_reading);
  while (!GET(entered_))
    sched_yield();
  read_lock();
  left_ = entered_ = 0;
  blocks_until("pthread_rwlock_wrlock", write_and_unlock, unlock);
  finish(reader);
}

CASE(pthread_rwlock_wrlock, writer_is_self, EDEADLK)
{
  write_lock();
  RETURNS(EDEADLK, pthread_rwlock_wrlock, &l);
  unlock();
}

static int counter;

static void count_up(void)
{
  write_lock();
  counter++;
  unlock();
  read_lock();
  EXPECT(counter >= 1);
  unlock();
}

CASE(pthread_rwlock_wrlock, excludes_and_orders)
{
  pthread_t a = start_call(count_up), b = start_call(count_up);
  finish(a);
  finish(b);
  EXPECT(counter == 2);
}

DEADLOCK(pthread_rwlock_wrlock, reader_is_self, "which it holds itself")
{
  read_lock();
  pthread_rwlock_wrlock(&l);
}

static void upgrade(void)
{
  pthread_rwlock_rdlock(&l);
  pthread_rwlock_wrlock(&l);
}

DEADLOCK(pthread_rwlock_wrlock, two_upgrades, "deadlock")
{
  pthread_t thread = start_call(upgrade);
  upgrade();
  finish(thread);
}

MISUSE(pthread_rwlock_wrlock, destroyed, "uses a read-write lock that was destroyed")
{
  destroy();
  pthread_rwlock_wrlock(&l);
}

/* ---- try ---- */

static void try_both(void)
{
  int error = CALL(pthread_rwlock_tryrdlock, &l);
  EXPECT(error == 0 || error == EBUSY);
  if (!error)
    unlock();
  error = CALL(pthread_rwlock_trywrlock, &l);
  EXPECT(error == 0 || error == EBUSY);
  if (!error)
    unlock();
}

CASE(pthread_rwlock_tryrdlock, free_or_written, proceeds, EBUSY)
{
  pthread_t thread = start_call(try_both);
  write_and_unlock();
  finish(thread);
}

CASE(pthread_rwlock_trywrlock, free_or_held, proceeds, EBUSY)
{
  pthread_t thread = start_call(try_both);
  read_and_unlock();
  finish(thread);
}

CASE(pthread_rwlock_tryrdlock, by_its_holder, proceeds, EBUSY)
{
  read_lock();
  RETURNS(0, pthread_rwlock_tryrdlock, &l);
  RETURNS(EBUSY, pthread_rwlock_trywrlock, &l);
  unlock();
  unlock();
  RETURNS(0, pthread_rwlock_trywrlock, &l);
  RETURNS(EBUSY, pthread_rwlock_tryrdlock, &l);
  RETURNS(EBUSY, pthread_rwlock_trywrlock, &l);
  unlock();
}

static void try_behind_the_writer(void)
{
  int error = CALL(pthread_rwlock_tryrdlock, &l);
  if (!error)
    unlock();
}

CASE(pthread_rwlock_tryrdlock, behind_a_preferred_writer, proceeds, EBUSY)
{
  make(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  read_lock();
  pthread_t writer = start_call(write_and_unlock), reader = start_call(try_behind_the_writer);
  let_others_run();
  unlock();
  finish(writer);
  finish(reader);
}

MISUSE(pthread_rwlock_tryrdlock, destroyed, "uses a read-write lock that was destroyed")
{
  destroy();
  pthread_rwlock_tryrdlock(&l);
}

MISUSE(pthread_rwlock_trywrlock, destroyed, "uses a read-write lock that was destroyed")
{
  destroy();
  pthread_rwlock_trywrlock(&l);
}

/* ---- timed ---- */

static void settle(int error, clockid_t clock, struct timespec at)
{
  EXPECT(error == 0 || error == ETIMEDOUT);
  if (error)
    EXPECT(passed(clock, at));
  else
    unlock();
}

static void timed_both(void)
{
  struct timespec at = after(CLOCK_REALTIME, 5);
  settle(CALL(pthread_rwlock_timedrdlock, &l, &at), CLOCK_REALTIME, at);
  at = after(CLOCK_REALTIME, 5);
  settle(CALL(pthread_rwlock_timedwrlock, &l, &at), CLOCK_REALTIME, at);
}

static void clock_both(void)
{
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  for (size_t i = 0; i < LENGTH(clocks); i++) {
    struct timespec at = after(clocks[i], 5);
    settle(CALL(pthread_rwlock_clockrdlock, &l, clocks[i], &at), clocks[i], at);
    at = after(clocks[i], 5);
    settle(CALL(pthread_rwlock_clockwrlock, &l, clocks[i], &at), clocks[i], at);
  }
}

CASE(pthread_rwlock_timedrdlock, free_or_written, proceeds, ETIMEDOUT)
{
  pthread_t thread = start_call(timed_both);
  write_and_unlock();
  finish(thread);
}

CASE(pthread_rwlock_timedwrlock, free_or_read, proceeds, ETIMEDOUT)
{
  pthread_t thread = start_call(timed_both);
  read_and_unlock();
  finish(thread);
}

CASE(pthread_rwlock_clockrdlock, free_or_written, proceeds, ETIMEDOUT)
{
  pthread_t thread = start_call(clock_both);
  write_and_unlock();
  finish(thread);
}

CASE(pthread_rwlock_clockwrlock, free_or_read, proceeds, ETIMEDOUT)
{
  pthread_t thread = start_call(clock_both);
  read_and_unlock();
  finish(thread);
}

static bool timedrdlock(void)
{
  struct timespec at = after(CLOCK_REALTIME, 1000);
  if (CALL(pthread_rwlock_timedrdlock, &l, &at))
    return false;
  unlock();
  return true;
}

CASE(pthread_rwlock_timedrdlock, waits_until_it_is_free, blocks, ETIMEDOUT)
{
  write_lock();
  blocks_until_or_times_out("pthread_rwlock_timedrdlock", timedrdlock, unlock);
}

static bool timedwrlock(void)
{
  struct timespec at = after(CLOCK_REALTIME, 1000);
  if (CALL(pthread_rwlock_timedwrlock, &l, &at))
    return false;
  unlock();
  return true;
}

CASE(pthread_rwlock_timedwrlock, waits_until_it_is_free, blocks, ETIMEDOUT)
{
  write_lock();
  blocks_until_or_times_out("pthread_rwlock_timedwrlock", timedwrlock, unlock);
}

static bool clockrdlock(void)
{
  struct timespec at = after(CLOCK_MONOTONIC, 1000);
  if (CALL(pthread_rwlock_clockrdlock, &l, CLOCK_MONOTONIC, &at))
    return false;
  unlock();
  return true;
}

CASE(pthread_rwlock_clockrdlock, waits_until_it_is_free, blocks, ETIMEDOUT)
{
  write_lock();
  blocks_until_or_times_out("pthread_rwlock_clockrdlock", clockrdlock, unlock);
}

static bool clockwrlock(void)
{
  struct timespec at = after(CLOCK_MONOTONIC, 1000);
  if (CALL(pthread_rwlock_clockwrlock, &l, CLOCK_MONOTONIC, &at))
    return false;
  unlock();
  return true;
}

CASE(pthread_rwlock_clockwrlock, waits_until_it_is_free, blocks, ETIMEDOUT)
{
  write_lock();
  blocks_until_or_times_out("pthread_rwlock_clockwrlock", clockwrlock, unlock);
}

CASE(pthread_rwlock_timedrdlock, writer_is_self, EDEADLK)
{
  write_lock();
  RETURNS(EDEADLK, pthread_rwlock_timedrdlock, &l, &long_ago);
  RETURNS(EDEADLK, pthread_rwlock_timedwrlock, &l, &long_ago);
  RETURNS(EDEADLK, pthread_rwlock_clockrdlock, &l, CLOCK_MONOTONIC, &long_ago);
  RETURNS(EDEADLK, pthread_rwlock_clockwrlock, &l, CLOCK_MONOTONIC, &long_ago);
  unlock();
}

static void find_it_timed_out(void)
{
  RETURNS(ETIMEDOUT, pthread_rwlock_timedrdlock, &l, &long_ago);
  RETURNS(ETIMEDOUT, pthread_rwlock_timedwrlock, &l, &long_ago);
  RETURNS(ETIMEDOUT, pthread_rwlock_clockrdlock, &l, CLOCK_REALTIME, &long_ago);
  RETURNS(ETIMEDOUT, pthread_rwlock_clockwrlock, &l, CLOCK_REALTIME, &long_ago);
  RETURNS(EINVAL, pthread_rwlock_timedrdlock, &l, &too_many_ns);
  RETURNS(EINVAL, pthread_rwlock_timedwrlock, &l, &negative_ns);
  RETURNS(EINVAL, pthread_rwlock_clockrdlock, &l, CLOCK_MONOTONIC, &negative_ns);
  RETURNS(EINVAL, pthread_rwlock_clockwrlock, &l, CLOCK_MONOTONIC, &too_many_ns);
}

CASE(pthread_rwlock_timedwrlock, held_for_ever, ETIMEDOUT, EINVAL)
{
  write_lock();
  elsewhere(find_it_timed_out);
  unlock();
}

static void find_the_clock_wrong(void)
{
  RETURNS(EINVAL, pthread_rwlock_clockrdlock, &l, CLOCK_PROCESS_CPUTIME_ID, &long_ago);
  RETURNS(EINVAL, pthread_rwlock_clockwrlock, &l, CLOCK_PROCESS_CPUTIME_ID, &long_ago);
}

CASE(pthread_rwlock_clockwrlock, no_such_clock, EINVAL)
{
  write_lock();
  elsewhere(find_the_clock_wrong);
  unlock();
}

CASE(pthread_rwlock_timedwrlock, reader_is_self, ETIMEDOUT)
{
  read_lock();
  RETURNS(0, pthread_rwlock_timedrdlock, &l, &long_ago);
  RETURNS(ETIMEDOUT, pthread_rwlock_timedwrlock, &l, &long_ago);
  unlock();
  unlock();
  RETURNS(0, pthread_rwlock_timedwrlock, &l, &long_ago);
}

MISUSE(pthread_rwlock_timedrdlock, destroyed, "uses a read-write lock that was destroyed")
{
  destroy();
  pthread_rwlock_timedrdlock(&l, &long_ago);
}

MISUSE(pthread_rwlock_timedwrlock, destroyed, "uses a read-write lock that was destroyed")
{
  destroy();
  pthread_rwlock_timedwrlock(&l, &long_ago);
}

MISUSE(pthread_rwlock_clockrdlock, destroyed, "uses a read-write lock that was destroyed")
{
  destroy();
  pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &long_ago);
}

MISUSE(pthread_rwlock_clockwrlock, destroyed, "uses a read-write lock that was destroyed")
{
  destroy();
  pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &long_ago);
}

/* ---- unlock ---- */

CASE(pthread_rwlock_unlock, held, proceeds)
{
  read_and_unlock();
  write_and_unlock();
}

static void unlock_it(void)
{
  pthread_rwlock_unlock(&l);
}

MISUSE(pthread_rwlock_unlock, not_locked, "unlocks a read-write lock it does not hold")
{
  unlock_it();
}

MISUSE(pthread_rwlock_unlock, read_by_another, "unlocks a read-write lock it does not hold")
{
  read_lock();
  elsewhere(unlock_it);
}

MISUSE(pthread_rwlock_unlock, written_by_another, "unlocks a read-write lock it does not hold")
{
  write_lock();
  elsewhere(unlock_it);
}

MISUSE(pthread_rwlock_unlock, once_too_often, "unlocks a read-write lock it does not hold")
{
  read_lock();
  read_lock();
  unlock();
  unlock();
  unlock_it();
}

MISUSE(pthread_rwlock_unlock, destroyed, "uses a read-write lock that was destroyed")
{
  destroy();
  unlock_it();
}
