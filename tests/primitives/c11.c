/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of C11. glibc's do not go through the pthread functions, so each of them is tested itself.
 */
#include "case.h"
#include <stdint.h>
#include <threads.h>

static mtx_t m;
static cnd_t c;
static int ready, data, waiting, woken;

static void make(int type)
{
  RETURNS(thrd_success, mtx_init, &m, type);
}

static void lock(void)
{
  RETURNS(thrd_success, mtx_lock, &m);
}

static void unlock(void)
{
  RETURNS(thrd_success, mtx_unlock, &m);
}

static void lock_and_unlock(void)
{
  lock();
  unlock();
}

static thrd_t begin(int (*body)(void *), void *arg)
{
  thrd_t thread;
  RETURNS(thrd_success, thrd_create, &thread, body, arg);
  return thread;
}

static int end(thrd_t thread)
{
  int result;
  RETURNS(thrd_success, thrd_join, thread, &result);
  return result;
}

static const char *thrd_name(int result)
{
  static const char *const names[] = {[thrd_success] = "proceeds", [thrd_busy] = "thrd_busy",
                                      [thrd_error] = "thrd_error", [thrd_nomem] = "thrd_nomem",
                                      [thrd_timedout] = "thrd_timedout"};
  return names[result];
}

/* ---- thrd ---- */

static int return_seven(void *arg)
{
  data = 1;
  (void)arg;
  return -7;
}

CASE(thrd_create, and_join, proceeds, thrd_join:proceeds)
{
  EXPECT(end(begin(return_seven, NULL)) == -7);
  EXPECT(data == 1);
  RETURNS(thrd_success, thrd_join, begin(return_seven, NULL), NULL);
}

static int wait_for_ready(void *arg)
{
  while (!GET(ready))
    thrd_yield();
  (void)arg;
  return 0;
}

static thrd_t target;

static void join_target(void)
{
  RETURNS(thrd_success, thrd_join, target, NULL);
}

static void make_ready(void)
{
  SET(ready);
}

CASE(thrd_join, of_a_running_thread, blocks)
{
  target = begin(wait_for_ready, NULL);
  blocks_until("thrd_join", join_target, make_ready);
}

CASE(thrd_join, self, thrd_error)
{
  RETURNS(thrd_error, thrd_join, thrd_current(), NULL);
}

MISUSE(thrd_join, twice, "joins a thread that was joined already")
{
  thrd_t thread = begin(return_seven, NULL);
  thrd_join(thread, NULL);
  thrd_join(thread, NULL);
}

CASE(thrd_detach, running, proceeds)
{
  RETURNS(thrd_success, thrd_detach, begin(wait_for_ready, NULL));
  SET(ready);
}

MISUSE(thrd_detach, twice, "detaches a thread that is detached already")
{
  thrd_t thread = begin(wait_for_ready, NULL);
  thrd_detach(thread);
  thrd_detach(thread);
}

MISUSE(thrd_detach, then_joined, "joins a detached thread")
{
  thrd_t thread = begin(return_seven, NULL);
  thrd_detach(thread);
  thrd_join(thread, NULL);
}

MISUSE(thrd_detach, joined, "detaches a thread that was joined already")
{
  thrd_t thread = begin(return_seven, NULL);
  thrd_join(thread, NULL);
  thrd_detach(thread);
}

static int exit_with(void *arg)
{
  thrd_exit((int)(intptr_t)arg);
}

CASE(thrd_exit, with_a_result, ends_the_thread)
{
  EXPECT(end(begin(exit_with, (void *)5)) == 5);
  SAW("ends_the_thread");
}

static int say_hello(void *arg)
{
  (void)arg;
  SEE("thrd_exit", "others_outlive_main");
  return 0;
}

CASE(thrd_exit, from_main, others_outlive_main)
{
  begin(say_hello, NULL);
  thrd_exit(0);
}

static int tell_self(void *self)
{
  *(thrd_t *)self = thrd_current();
  return 0;
}

CASE(thrd_current, distinct, proceeds)
{
  thrd_t self, thread = begin(tell_self, &self);
  end(thread);
  EXPECT(thrd_equal(thread, self) && !thrd_equal(thread, thrd_current()));
  SAW("proceeds");
}

static int yield_once(void *arg)
{
  SET(data);
  (void)arg;
  return 0;
}

CASE(thrd_yield, another_may_go_first, proceeds, another_went_first, went_on)
{
  thrd_t thread = begin(yield_once, NULL);
  thrd_yield();
  SAW("proceeds");
  SAW(GET(data) ? "another_went_first" : "went_on");
  end(thread);
}

CASE(thrd_sleep, an_hour, proceeds)
{
  struct timespec hour = {3600, 0}, malformed = {0, -1}, before = now_on(CLOCK_MONOTONIC);
  RETURNS(0, thrd_sleep, &hour, NULL);
  before.tv_sec += 3600;
  EXPECT(passed(CLOCK_MONOTONIC, before));
  EXPECT(thrd_sleep(&malformed, NULL) < -1);
}

/* ---- mtx ---- */

CASE(mtx_init, every_type, proceeds)
{
  static const int types[] = {mtx_plain, mtx_timed, mtx_plain | mtx_recursive, mtx_timed | mtx_recursive};
  for (size_t i = 0; i < LENGTH(types); i++) {
    make(types[i]);
    lock_and_unlock();
    mtx_destroy(&m);
    SEE("mtx_destroy", "proceeds");
  }
}

MISUSE(mtx_init, locked, "initialises a mutex that is locked")
{
  make(mtx_plain);
  lock();
  mtx_init(&m, mtx_plain);
}

MISUSE(mtx_destroy, locked, "destroys a mutex that is locked")
{
  make(mtx_plain);
  lock();
  mtx_destroy(&m);
}

MISUSE(mtx_destroy, twice, "uses a mutex that was destroyed")
{
  make(mtx_plain);
  mtx_destroy(&m);
  mtx_destroy(&m);
}

CASE(mtx_lock, held_by_another, blocks, proceeds)
{
  make(mtx_plain);
  lock();
  blocks_until("mtx_lock", lock_and_unlock, unlock);
}

CASE(mtx_lock, recursive)
{
  make(mtx_plain | mtx_recursive);
  lock();
  lock();
  RETURNS(thrd_success, mtx_trylock, &m);
  unlock();
  unlock();
  blocks_until("mtx_lock", lock_and_unlock, unlock);
}

DEADLOCK(mtx_lock, twice, "which it holds itself")
{
  make(mtx_plain);
  lock();
  mtx_lock(&m);
}

MISUSE(mtx_lock, destroyed, "uses a mutex that was destroyed")
{
  make(mtx_plain);
  mtx_destroy(&m);
  mtx_lock(&m);
}

static void try_it(void)
{
  int result = mtx_trylock(&m);
  SEE("mtx_trylock", thrd_name(result));
  EXPECT(result == thrd_success || result == thrd_busy);
  if (result == thrd_success)
    unlock();
}

CASE(mtx_trylock, free_or_held, proceeds, thrd_busy)
{
  make(mtx_plain);
  pthread_t thread = start_call(try_it);
  lock_and_unlock();
  finish(thread);
}

MISUSE(mtx_trylock, destroyed, "uses a mutex that was destroyed")
{
  make(mtx_plain);
  mtx_destroy(&m);
  mtx_trylock(&m);
}

static void lock_with_timeout(void)
{
  struct timespec at = after(CLOCK_REALTIME, 5);
  int result = mtx_timedlock(&m, &at);
  SEE("mtx_timedlock", thrd_name(result));
  if (result == thrd_success)
    unlock();
  else
    EXPECT(result == thrd_timedout && passed(CLOCK_REALTIME, at));
}

CASE(mtx_timedlock, free_or_held, proceeds, thrd_timedout)
{
  make(mtx_timed);
  pthread_t thread = start_call(lock_with_timeout);
  lock_and_unlock();
  finish(thread);
}

static bool timed_lock(void)
{
  struct timespec at = after(CLOCK_REALTIME, 1000);
  if (mtx_timedlock(&m, &at) != thrd_success)
    return false;
  unlock();
  return true;
}

CASE(mtx_timedlock, waits_until_it_is_free, blocks)
{
  make(mtx_timed);
  lock();
  blocks_until_or_times_out("mtx_timedlock", timed_lock, unlock);
}

CASE(mtx_timedlock, malformed_or_past, thrd_timedout, thrd_error)
{
  make(mtx_timed);
  lock();
  RETURNS(thrd_timedout, mtx_timedlock, &m, &long_ago);
  RETURNS(thrd_error, mtx_timedlock, &m, &too_many_ns);
}

MISUSE(mtx_timedlock, destroyed, "uses a mutex that was destroyed")
{
  make(mtx_timed);
  mtx_destroy(&m);
  mtx_timedlock(&m, &long_ago);
}

CASE(mtx_unlock, recursive_not_owner, proceeds, thrd_error)
{
  make(mtx_plain | mtx_recursive);
  RETURNS(thrd_error, mtx_unlock, &m);
  lock_and_unlock();
}

MISUSE(mtx_unlock, not_locked, "unlocks a mutex that is not locked")
{
  make(mtx_plain);
  mtx_unlock(&m);
}

static void unlock_it(void)
{
  mtx_unlock(&m);
}

MISUSE(mtx_unlock, held_by_another, "unlocks a mutex that another thread holds")
{
  make(mtx_plain);
  lock();
  elsewhere(unlock_it);
}

MISUSE(mtx_unlock, destroyed, "uses a mutex that was destroyed")
{
  make(mtx_plain);
  mtx_destroy(&m);
  mtx_unlock(&m);
}

/* ---- cnd ---- */

static void make_cnd(void)
{
  make(mtx_plain);
  RETURNS(thrd_success, cnd_init, &c);
}

static void wait_until_ready(void)
{
  lock();
  while (!ready)
    RETURNS(thrd_success, cnd_wait, &c, &m);
  unlock();
}

static void signal_ready(void)
{
  lock();
  ready = 1;
  RETURNS(thrd_success, cnd_signal, &c);
  unlock();
}

CASE(cnd_wait, until_signalled, blocks, proceeds)
{
  make_cnd();
  blocks_until("cnd_wait", wait_until_ready, signal_ready);
  cnd_destroy(&c);
  SEE("cnd_destroy", "proceeds");
}

DEADLOCK(cnd_wait, never_signalled, "waits on c, which nobody is left to signal")
{
  make_cnd();
  lock();
  cnd_wait(&c, &m);
}

MISUSE(cnd_wait, without_the_mutex, "without holding the mutex")
{
  make_cnd();
  cnd_wait(&c, &m);
}

MISUSE(cnd_wait, destroyed, "uses a condition variable that was destroyed")
{
  make_cnd();
  cnd_destroy(&c);
  lock();
  cnd_wait(&c, &m);
}

static void *wait_once(void *name)
{
  lock();
  waiting++;
  RETURNS(thrd_success, cnd_wait, &c, &m);
  if (++woken == 1)
    SEE("cnd_signal", (const char *)name);
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
    thrd_yield();
  }
}

MISUSE(cnd_init, awaited, "initialises a condition variable that threads wait on")
{
  make_cnd();
  start(wait_once, (void *)"");
  wait_until_they_wait(1);
  cnd_init(&c);
}

MISUSE(cnd_destroy, awaited, "destroys a condition variable that threads wait on")
{
  make_cnd();
  start(wait_once, (void *)"");
  wait_until_they_wait(1);
  cnd_destroy(&c);
}

MISUSE(cnd_destroy, twice, "uses a condition variable that was destroyed")
{
  make_cnd();
  cnd_destroy(&c);
  cnd_destroy(&c);
}

CASE(cnd_signal, wakes_any_one, proceeds, wakes_a, wakes_b)
{
  make_cnd();
  start(wait_once, (void *)"wakes_a");
  start(wait_once, (void *)"wakes_b");
  wait_until_they_wait(2);
  RETURNS(thrd_success, cnd_signal, &c);
  unlock();
  let_others_run();
  lock();
  EXPECT(woken <= 1);
  exit(0);
}

CASE(cnd_init, and_signal_nobody, proceeds)
{
  make_cnd();
  RETURNS(thrd_success, cnd_signal, &c);
  RETURNS(thrd_success, cnd_broadcast, &c);
}

MISUSE(cnd_signal, destroyed, "uses a condition variable that was destroyed")
{
  make_cnd();
  cnd_destroy(&c);
  cnd_signal(&c);
}

CASE(cnd_broadcast, wakes_all, proceeds, wakes_all)
{
  make_cnd();
  pthread_t a = start(wait_once, (void *)"proceeds"), b = start(wait_once, (void *)"proceeds");
  wait_until_they_wait(2);
  RETURNS(thrd_success, cnd_broadcast, &c);
  unlock();
  finish(a);
  finish(b);
  EXPECT(woken == 2);
  SAW("wakes_all");
}

MISUSE(cnd_broadcast, destroyed, "uses a condition variable that was destroyed")
{
  make_cnd();
  cnd_destroy(&c);
  cnd_broadcast(&c);
}

static void wait_five_seconds(void)
{
  struct timespec at = after(CLOCK_REALTIME, 5);
  int result = thrd_success;
  lock();
  while (!ready && result == thrd_success) {
    result = cnd_timedwait(&c, &m, &at);
    SEE("cnd_timedwait", thrd_name(result));
  }
  EXPECT(result == thrd_success || (result == thrd_timedout && passed(CLOCK_REALTIME, at)));
  unlock();
}

CASE(cnd_timedwait, signal_or_timeout, proceeds, thrd_timedout)
{
  make_cnd();
  pthread_t thread = start_call(wait_five_seconds);
  signal_ready();
  finish(thread);
}

CASE(cnd_timedwait, malformed_or_past, thrd_timedout, thrd_error)
{
  make_cnd();
  lock();
  RETURNS(thrd_timedout, cnd_timedwait, &c, &m, &long_ago);
  RETURNS(thrd_error, cnd_timedwait, &c, &m, &negative_ns);
  unlock();
}

static void hold_it_over_the_deadline(void)
{
  lock();
  SET(entered_);
  thrd_yield();
  unlock();
}

CASE(cnd_timedwait, needs_the_mutex_again, blocks)
{
  make_cnd();
  lock();
  pthread_t thread = start_call(hold_it_over_the_deadline);
  struct timespec at = after(CLOCK_REALTIME, 1);
  RETURNS(thrd_timedout, cnd_timedwait, &c, &m, &at);
  if (GET(entered_))
    SAW("blocks");
  unlock();
  finish(thread);
}

MISUSE(cnd_timedwait, without_the_mutex, "without holding the mutex")
{
  make_cnd();
  cnd_timedwait(&c, &m, &long_ago);
}

MISUSE(cnd_timedwait, destroyed, "uses a condition variable that was destroyed")
{
  make_cnd();
  cnd_destroy(&c);
  lock();
  cnd_timedwait(&c, &m, &long_ago);
}

/* ---- call_once ---- */

static once_flag once = ONCE_FLAG_INIT;
static int runs;

static void routine(void)
{
  runs++;
  data = 42;
}

static void *call_and_look(void *unused)
{
  call_once(&once, routine);
  SEE("call_once", "proceeds");
  EXPECT(data == 42);
  return unused;
}

CASE(call_once, exactly_once, proceeds)
{
  pthread_t thread = start(call_and_look, NULL);
  call_and_look(NULL);
  finish(thread);
  EXPECT(runs == 1);
}

static void slow_routine(void)
{
  SET(runs);
  lock_and_unlock();
}

static void call_slowly(void)
{
  call_once(&once, slow_routine);
}

CASE(call_once, while_another_is_at_it, blocks)
{
  make(mtx_plain);
  lock();
  pthread_t first = start_call(call_slowly);
  while (!GET(runs))
    thrd_yield();
  blocks_until("call_once", call_slowly, unlock);
  finish(first);
}

static void calls_itself(void)
{
  call_once(&once, calls_itself);
}

DEADLOCK(call_once, from_its_own_routine, "itself")
{
  call_once(&once, calls_itself);
}

static void use_one_on_the_stack(void)
{
  once_flag local = ONCE_FLAG_INIT;
  call_once(&local, routine);
  call_once(&local, routine);
}

CASE(call_once, another_one_at_the_same_place)
{
  use_one_on_the_stack();
  use_one_on_the_stack();
  EXPECT(runs == 2);
}

/* ---- tss ---- */

static tss_t key;
static int destroyed;

static void note_destroyed(void *value)
{
  EXPECT(value == &data);
  destroyed++;
}

static int set_it(void *value)
{
  EXPECT(tss_get(key) == NULL);
  RETURNS(thrd_success, tss_set, key, value);
  EXPECT(tss_get(key) == value);
  SEE("tss_get", "proceeds");
  return 0;
}

CASE(tss_create, destructor_at_the_end_of_a_thread, proceeds, destructor)
{
  RETURNS(thrd_success, tss_create, &key, note_destroyed);
  end(begin(set_it, &data));
  EXPECT(destroyed == 1);
  EXPECT(tss_get(key) == NULL);
  SAW("destructor");
}

static void set_again(void *value)
{
  destroyed++;
  tss_set(key, value);
}

CASE(tss_create, destructors_come_in_rounds, rounds)
{
  RETURNS(thrd_success, tss_create, &key, set_again);
  end(begin(set_it, &data));
  EXPECT(destroyed == TSS_DTOR_ITERATIONS);
  SAW("rounds");
}

CASE(tss_create, until_none_is_left, thrd_error)
{
  while (tss_create(&key, NULL) == thrd_success)
    ;
  RETURNS(thrd_error, tss_create, &key, NULL);
}

static int set_and_delete(void *value)
{
  RETURNS(thrd_success, tss_set, key, value);
  tss_delete(key);
  return 0;
}

CASE(tss_delete, no_destructor_afterwards, proceeds)
{
  RETURNS(thrd_success, tss_create, &key, note_destroyed);
  end(begin(set_and_delete, &data));
  EXPECT(destroyed == 0);
  SAW("proceeds");
}
