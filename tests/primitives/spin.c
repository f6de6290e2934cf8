/* SPDX-License-Identifier: Apache-2.0
 *
 * Spin locks.
 */
#include "case.h"

static pthread_spinlock_t s;

static void make(void)
{
  RETURNS(0, pthread_spin_init, &s, PTHREAD_PROCESS_PRIVATE);
}

static void lock(void)
{
  RETURNS(0, pthread_spin_lock, &s);
}

static void unlock(void)
{
  RETURNS(0, pthread_spin_unlock, &s);
}

static void lock_and_unlock(void)
{
  lock();
  unlock();
}

static void unlock_it(void)
{
  pthread_spin_unlock(&s);
}

CASE(pthread_spin_init, private_and_shared, proceeds)
{
  make();
  lock_and_unlock();
  RETURNS(0, pthread_spin_destroy, &s);
  RETURNS(0, pthread_spin_init, &s, PTHREAD_PROCESS_SHARED);
  lock_and_unlock();
}

MISUSE(pthread_spin_init, locked, "initialises a spin lock that is locked")
{
  make();
  lock();
  pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
}

CASE(pthread_spin_destroy, unlocked, proceeds)
{
  make();
  lock_and_unlock();
  RETURNS(0, pthread_spin_destroy, &s);
}

MISUSE(pthread_spin_destroy, locked, "destroys a spin lock that is locked")
{
  make();
  lock();
  pthread_spin_destroy(&s);
}

MISUSE(pthread_spin_destroy, twice, "uses a spin lock that was destroyed")
{
  make();
  pthread_spin_destroy(&s);
  pthread_spin_destroy(&s);
}

MISUSE(pthread_spin_destroy, awaited, "a spin lock that")
{
  make();
  lock();
  pthread_t waiter = start_call(lock_and_unlock);
  unlock();
  pthread_spin_destroy(&s);
  finish(waiter);
}

CASE(pthread_spin_lock, free, proceeds)
{
  make();
  lock_and_unlock();
}

CASE(pthread_spin_lock, held_by_another, blocks)
{
  make();
  lock();
  blocks_until("pthread_spin_lock", lock_and_unlock, unlock);
}

static int counter;

static void count_up(void)
{
  lock();
  counter++;
  unlock();
}

CASE(pthread_spin_lock, excludes_and_orders)
{
  make();
  pthread_t a = start_call(count_up), b = start_call(count_up);
  finish(a);
  finish(b);
  EXPECT(counter == 2);
}

DEADLOCK(pthread_spin_lock, twice, "which it holds itself")
{
  make();
  lock();
  pthread_spin_lock(&s);
}

DEADLOCK(pthread_spin_lock, holder_has_ended, "held when it ended")
{
  make();
  elsewhere(lock);
  pthread_spin_lock(&s);
}

MISUSE(pthread_spin_lock, destroyed, "uses a spin lock that was destroyed")
{
  make();
  pthread_spin_destroy(&s);
  pthread_spin_lock(&s);
}

static void try_it(void)
{
  int error = CALL(pthread_spin_trylock, &s);
  EXPECT(error == 0 || error == EBUSY);
  if (!error)
    unlock();
}

CASE(pthread_spin_trylock, free_or_held, proceeds, EBUSY)
{
  make();
  pthread_t thread = start_call(try_it);
  lock_and_unlock();
  finish(thread);
}

CASE(pthread_spin_trylock, held_by_self, EBUSY)
{
  make();
  RETURNS(0, pthread_spin_trylock, &s);
  RETURNS(EBUSY, pthread_spin_trylock, &s);
  unlock();
}

MISUSE(pthread_spin_trylock, destroyed, "uses a spin lock that was destroyed")
{
  make();
  pthread_spin_destroy(&s);
  pthread_spin_trylock(&s);
}

CASE(pthread_spin_unlock, held, proceeds)
{
  make();
  lock_and_unlock();
}

MISUSE(pthread_spin_unlock, not_locked, "unlocks a spin lock that is not locked")
{
  make();
  unlock_it();
}

MISUSE(pthread_spin_unlock, held_by_another, "unlocks a spin lock that another thread holds")
{
  make();
  lock();
  elsewhere(unlock_it);
}

MISUSE(pthread_spin_unlock, destroyed, "uses a spin lock that was destroyed")
{
  make();
  pthread_spin_destroy(&s);
  unlock_it();
}
