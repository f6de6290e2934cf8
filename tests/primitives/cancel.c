/* SPDX-License-Identifier: Apache-2.0
 *
 * Cancellation: where it strikes, where it does not, and the handlers that clean up.
 */
#include "case.h"
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int flag, cleaned;

static void cancel_it(pthread_t thread)
{
  RETURNS(0, pthread_cancel, thread);
}

/* Cancels the thread at some moment; the outcome tells where it was. */
static bool cancelled(pthread_t thread)
{
  cancel_it(thread);
  void *result = finish(thread);
  SAW(result == PTHREAD_CANCELED ? "cancelled" : "too_late");
  return result == PTHREAD_CANCELED;
}

static void note_cleaned(void *expected)
{
  EXPECT(cleaned == (int)(long)expected);
  cleaned++;
  SEE("__pthread_register_cancel", "proceeds");
  SEE("__pthread_unwind_next", "proceeds");
}

/* ---- deferred, at each point where a thread can block ---- */

static void unlock_m(void *unused)
{
  (void)unused;
  cleaned++; /* the mutex is held again in the handler */
  EXPECT(pthread_mutex_unlock(&m) == 0);
}

static void *wait_on_cond(void *arg)
{
  EXPECT(pthread_mutex_lock(&m) == 0);
  pthread_cleanup_push(unlock_m, NULL);
  while (!flag)
    EXPECT(pthread_cond_wait(&c, &m) == 0);
  pthread_cleanup_pop(1);
  return arg;
}

CASE(pthread_cond_wait, cancelled, cancelled)
{
  pthread_t thread = start(wait_on_cond, NULL);
  sched_yield();
  EXPECT(cancelled(thread));
  EXPECT(pthread_mutex_lock(&m) == 0);
  EXPECT(cleaned <= 1);
  EXPECT(pthread_mutex_unlock(&m) == 0);
}

static void signal_it(void)
{
  EXPECT(pthread_mutex_lock(&m) == 0);
  flag = 1;
  EXPECT(pthread_cond_signal(&c) == 0);
  EXPECT(pthread_mutex_unlock(&m) == 0);
}

CASE(pthread_cond_wait, cancelled_or_signalled, cancelled, too_late)
{
  pthread_t thread = start(wait_on_cond, NULL), signaller = start_call(signal_it);
  cancelled(thread);
  finish(signaller);
  EXPECT(pthread_mutex_trylock(&m) == 0);
}

static void *wait_timed(void *arg)
{
  struct timespec at = after(CLOCK_REALTIME, 100);
  EXPECT(pthread_mutex_lock(&m) == 0);
  pthread_cleanup_push(unlock_m, NULL);
  pthread_cond_timedwait(&c, &m, &at);
  pthread_cleanup_pop(1);
  return arg;
}

CASE(pthread_cond_timedwait, cancelled, cancelled, too_late)
{
  cancelled(start(wait_timed, NULL));
  EXPECT(pthread_mutex_trylock(&m) == 0);
}

static void *wait_clock(void *arg)
{
  struct timespec at = after(CLOCK_MONOTONIC, 100);
  EXPECT(pthread_mutex_lock(&m) == 0);
  pthread_cleanup_push(unlock_m, NULL);
  pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &at);
  pthread_cleanup_pop(1);
  return arg;
}

CASE(pthread_cond_clockwait, cancelled, cancelled, too_late)
{
  cancelled(start(wait_clock, NULL));
  EXPECT(pthread_mutex_trylock(&m) == 0);
}

/* Whoever is cancelled must not take the signal away from another waiter. */
static void *wait_once(void *woken)
{
  EXPECT(pthread_mutex_lock(&m) == 0);
  flag++;
  pthread_cleanup_push(unlock_m, NULL);
  EXPECT(pthread_cond_wait(&c, &m) == 0);
  *(int *)woken = 1;
  pthread_cleanup_pop(1);
  return NULL;
}

CASE(pthread_cond_wait, cancelled_while_another_waits)
{
  int woken[2] = {0, 0};
  pthread_t a = start(wait_once, &woken[0]), b = start(wait_once, &woken[1]);
  for (int waiting = 0; waiting < 2;) {
    EXPECT(pthread_mutex_lock(&m) == 0);
    waiting = flag;
    EXPECT(pthread_mutex_unlock(&m) == 0);
    sched_yield();
  }
  cancel_it(a);
  EXPECT(pthread_cond_signal(&c) == 0);
  if (finish(a) != PTHREAD_CANCELED)
    EXPECT(pthread_cond_signal(&c) == 0);
  finish(b);
  EXPECT(woken[1]);
}

static void *wait_on_sem(void *arg)
{
  EXPECT(sem_wait(&s) == 0);
  return arg;
}

CASE(sem_wait, cancelled, cancelled)
{
  EXPECT(sem_init(&s, 0, 0) == 0);
  EXPECT(cancelled(start(wait_on_sem, NULL)));
  EXPECT(sem_post(&s) == 0);
  EXPECT(sem_trywait(&s) == 0);
}

static void *wait_on_sem_timed(void *arg)
{
  struct timespec at = after(CLOCK_REALTIME, 100);
  sem_timedwait(&s, &at);
  return arg;
}

CASE(sem_timedwait, cancelled, cancelled, too_late)
{
  EXPECT(sem_init(&s, 0, 0) == 0);
  cancelled(start(wait_on_sem_timed, NULL));
}

static void *wait_on_sem_clock(void *arg)
{
  struct timespec at = after(CLOCK_MONOTONIC, 100);
  sem_clockwait(&s, CLOCK_MONOTONIC, &at);
  return arg;
}

CASE(sem_clockwait, cancelled, cancelled, too_late)
{
  EXPECT(sem_init(&s, 0, 0) == 0);
  cancelled(start(wait_on_sem_clock, NULL));
}

static void *wait_for_flag(void *arg)
{
  while (!GET(flag))
    sched_yield();
  return arg;
}

static void *join_target(void *target)
{
  EXPECT(pthread_join(*(pthread_t *)target, NULL) == 0);
  return NULL;
}

CASE(pthread_join, cancelled, cancelled)
{
  pthread_t target = start(wait_for_flag, NULL);
  EXPECT(cancelled(start(join_target, &target)));
  SET(flag);
  finish(target); /* it can still be joined */
}

static void *join_timed(void *target)
{
  struct timespec at = after(CLOCK_REALTIME, 100);
  pthread_timedjoin_np(*(pthread_t *)target, NULL, &at);
  return NULL;
}

CASE(pthread_timedjoin_np, cancelled, cancelled, too_late)
{
  pthread_t target = start(wait_for_flag, NULL);
  cancelled(start(join_timed, &target));
  SET(flag);
  finish(target);
}

static void *join_clock(void *target)
{
  struct timespec at = after(CLOCK_MONOTONIC, 100);
  pthread_clockjoin_np(*(pthread_t *)target, NULL, CLOCK_MONOTONIC, &at);
  return NULL;
}

CASE(pthread_clockjoin_np, cancelled, cancelled, too_late)
{
  pthread_t target = start(wait_for_flag, NULL);
  cancelled(start(join_clock, &target));
  SET(flag);
  finish(target);
}

static void *sleep_long(void *arg)
{
  sleep(1000);
  return arg;
}

CASE(sleep, cancelled, cancelled, too_late)
{
  cancelled(start(sleep_long, NULL));
}

static void *sleep_usec(void *arg)
{
  usleep(1000);
  return arg;
}

CASE(usleep, cancelled, cancelled, too_late)
{
  cancelled(start(sleep_usec, NULL));
}

static void *sleep_nano(void *arg)
{
  struct timespec how_long = {1000, 0};
  nanosleep(&how_long, NULL);
  return arg;
}

CASE(nanosleep, cancelled, cancelled, too_late)
{
  cancelled(start(sleep_nano, NULL));
}

static void *sleep_clock(void *arg)
{
  struct timespec how_long = {1000, 0};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &how_long, NULL);
  return arg;
}

CASE(clock_nanosleep, cancelled, cancelled, too_late)
{
  cancelled(start(sleep_clock, NULL));
}

static int ends[2];

static void *read_nothing(void *arg)
{
  char byte;
  EXPECT(read(ends[0], &byte, 1) == 1);
  return arg;
}

CASE(read, cancelled_on_an_empty_pipe, cancelled)
{
  EXPECT(pipe(ends) == 0);
  EXPECT(cancelled(start(read_nothing, NULL)));
}

/* ---- where it does not strike ---- */

static void *lock_and_unlock(void *arg)
{
  EXPECT(pthread_mutex_lock(&m) == 0);
  EXPECT(pthread_mutex_unlock(&m) == 0);
  sched_yield();
  return arg;
}

CASE(pthread_mutex_lock, not_cancelled, not_cancelled)
{
  EXPECT(pthread_mutex_lock(&m) == 0);
  pthread_t thread = start(lock_and_unlock, &flag);
  cancel_it(thread);
  let_others_run();
  EXPECT(pthread_mutex_unlock(&m) == 0);
  EXPECT(finish(thread) == &flag);
  SAW("not_cancelled");
}

CASE(pthread_cancel, ended_thread, proceeds)
{
  pthread_t thread = start(lock_and_unlock, NULL);
  let_others_run();
  cancel_it(thread);
  finish(thread);
}

MISUSE(pthread_cancel, joined, "cancels a thread that was joined already")
{
  pthread_t thread = start(lock_and_unlock, NULL);
  finish(thread);
  pthread_cancel(thread);
}

MISUSE(pthread_cancel, no_such_thread, "cancels a thread that does not exist")
{
  pthread_t thread;
  memset(&thread, 0, sizeof thread);
  pthread_cancel(thread);
}

/* ---- state and type ---- */

static void *sleep_disabled(void *arg)
{
  int old;
  RETURNS(0, pthread_setcancelstate, PTHREAD_CANCEL_DISABLE, &old);
  EXPECT(old == PTHREAD_CANCEL_ENABLE);
  SET(flag);
  sleep(1);
  pthread_testcancel();
  SET(left_);
  RETURNS(0, pthread_setcancelstate, PTHREAD_CANCEL_ENABLE, &old);
  EXPECT(old == PTHREAD_CANCEL_DISABLE);
  pthread_testcancel();
  return arg;
}

CASE(pthread_setcancelstate, disabled_for_a_while, proceeds, cancelled)
{
  pthread_t thread = start(sleep_disabled, NULL);
  while (!GET(flag))
    sched_yield();
  cancelled(thread);
  EXPECT(GET(left_)); /* never before it was enabled again */
}

CASE(pthread_setcancelstate, no_such_state, EINVAL)
{
  int old;
  RETURNS(EINVAL, pthread_setcancelstate, 77, &old);
  RETURNS(EINVAL, pthread_setcanceltype, 77, &old);
  RETURNS(0, pthread_setcancelstate, PTHREAD_CANCEL_ENABLE, NULL);
}

static void *test_now_and_then(void *arg)
{
  for (;;) {
    pthread_testcancel();
    SET(entered_);
    sched_yield();
  }
  return arg;
}

CASE(pthread_testcancel, in_a_loop, cancelled)
{
  EXPECT(cancelled(start(test_now_and_then, NULL)));
  SAW("cancelled");
}

static void *test_once(void *arg)
{
  pthread_testcancel();
  SEE("pthread_testcancel", "proceeds");
  return arg;
}

CASE(pthread_testcancel, before_or_after, proceeds, cancelled, too_late)
{
  cancelled(start(test_once, NULL));
}

static void *cancel_self(void *arg)
{
  pthread_cleanup_push(note_cleaned, (void *)0);
  EXPECT(pthread_cancel(pthread_self()) == 0);
  SET(entered_); /* deferred: not yet */
  pthread_testcancel();
  SET(left_);
  pthread_cleanup_pop(0);
  return arg;
}

CASE(pthread_cancel, self, cancelled)
{
  EXPECT(finish(start(cancel_self, NULL)) == PTHREAD_CANCELED);
  EXPECT(GET(entered_) && !GET(left_) && cleaned == 1);
  SAW("cancelled");
}

static void *run_on(void *arg)
{
  int old;
  RETURNS(0, pthread_setcanceltype, PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  EXPECT(old == PTHREAD_CANCEL_DEFERRED);
  SET(flag);
  while (GET(flag))
    ;
  return arg;
}

CASE(pthread_setcanceltype, asynchronous_in_a_loop, cancelled)
{
  pthread_t thread = start(run_on, NULL);
  while (!GET(flag))
    sched_yield();
  EXPECT(cancelled(thread));
}

static void *cancel_self_asynchronously(void *arg)
{
  EXPECT(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
  pthread_cancel(pthread_self());
  SET(left_);
  return arg;
}

CASE(pthread_setcanceltype, asynchronous_self, cancelled, proceeds)
{
  EXPECT(finish(start(cancel_self_asynchronously, NULL)) == PTHREAD_CANCELED);
  EXPECT(!GET(left_));
  SAW("cancelled");
  RETURNS(0, pthread_setcanceltype, PTHREAD_CANCEL_DEFERRED, NULL);
}

/* ---- handlers ---- */

static __attribute__((noinline)) void inner(void)
{
  pthread_cleanup_push(note_cleaned, (void *)0);
  sleep(1000);
  pthread_testcancel();
  pthread_cleanup_pop(0);
  SEE("__pthread_unregister_cancel", "proceeds");
}

static void *nested(void *arg)
{
  pthread_cleanup_push(note_cleaned, (void *)2);
  pthread_cleanup_push(note_cleaned, (void *)1);
  inner();
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return arg;
}

CASE(pthread_cancel, handlers_from_inner_to_outer, cancelled, too_late)
{
  pthread_t thread = start(nested, NULL);
  sched_yield();
  if (cancelled(thread))
    EXPECT(cleaned == 3 || cleaned == 0); /* 0: before it began */
  else
    EXPECT(cleaned == 0);
}

static void *exit_with_handlers(void *arg)
{
  pthread_cleanup_push(note_cleaned, (void *)1);
  pthread_cleanup_push(note_cleaned, (void *)0);
  pthread_exit(arg);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

CASE(pthread_exit, runs_handlers, runs_handlers)
{
  EXPECT(finish(start(exit_with_handlers, &flag)) == &flag);
  EXPECT(cleaned == 2);
  SAW("runs_handlers");
}

static void *pop_and_run(void *arg)
{
  pthread_cleanup_push(note_cleaned, (void *)0);
  pthread_cleanup_pop(1);
  pthread_cleanup_push(note_cleaned, (void *)99);
  pthread_cleanup_pop(0);
  SEE("__pthread_unregister_cancel", "proceeds");
  return arg;
}

CASE(__pthread_unregister_cancel, popped, proceeds)
{
  finish(start(pop_and_run, NULL));
  EXPECT(cleaned == 1);
}

static void block_in_the_handler(void *unused)
{
  (void)unused;
  EXPECT(pthread_mutex_lock(&m) == 0);
  sleep(1); /* a cancellation point, but it is already being cancelled */
  EXPECT(pthread_mutex_unlock(&m) == 0);
  cleaned = 1;
}

static void *sleep_with_a_handler(void *arg)
{
  pthread_cleanup_push(block_in_the_handler, NULL);
  SET(flag);
  for (;;)
    sleep(1);
  pthread_cleanup_pop(0);
  return arg;
}

CASE(pthread_cancel, handlers_can_block, cancelled)
{
  pthread_t thread = start(sleep_with_a_handler, NULL);
  while (!GET(flag))
    sched_yield();
  EXPECT(pthread_mutex_lock(&m) == 0);
  cancel_it(thread);
  let_others_run();
  EXPECT(pthread_mutex_unlock(&m) == 0);
  EXPECT(cancelled(thread));
  EXPECT(cleaned == 1);
}

static void *deferred_handler(void *arg)
{
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cleanup_push_defer_np(note_cleaned, (void *)0);
  SET(flag);
  for (;;)
    sleep(1);
  pthread_cleanup_pop_restore_np(0);
  return arg;
}

CASE(pthread_cancel, handlers_that_defer, cancelled)
{
  pthread_t thread = start(deferred_handler, NULL);
  while (!GET(flag))
    sched_yield();
  EXPECT(cancelled(thread));
  EXPECT(cleaned == 1);
  SEE("__pthread_register_cancel_defer", "proceeds");
}

static void *restore_type(void *arg)
{
  int type;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cleanup_push_defer_np(note_cleaned, (void *)0);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  EXPECT(type == PTHREAD_CANCEL_DEFERRED);
  pthread_cleanup_pop_restore_np(1);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  EXPECT(type == PTHREAD_CANCEL_ASYNCHRONOUS);
  return arg;
}

CASE(__pthread_unregister_cancel_restore, popped, proceeds)
{
  finish(start(restore_type, NULL));
  EXPECT(cleaned == 1);
  SAW("proceeds");
}

static void *sleep_with_a_mutex(void *arg)
{
  EXPECT(pthread_mutex_lock(&m) == 0);
  sleep(1000);
  EXPECT(pthread_mutex_unlock(&m) == 0);
  return arg;
}

DEADLOCK(pthread_cancel, holding_a_mutex, "held when it ended")
{
  pthread_t thread = start(sleep_with_a_mutex, NULL);
  pthread_cancel(thread);
  finish(thread);
  pthread_mutex_lock(&m);
}
