/* SPDX-License-Identifier: Apache-2.0
 *
 * Futexes through syscall(): each operation is a row of its own.
 */
#include "case.h"
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>

static uint32_t word, second;
static int asleep, woken;

static long futex(uint32_t *at, int operation, uint32_t value, const void *timeout, uint32_t *at2, uint32_t value3)
{
  return syscall(SYS_futex, at, operation | FUTEX_PRIVATE_FLAG, value, timeout, at2, value3);
}

static int wait_on(uint32_t *at, uint32_t value, const struct timespec *timeout)
{
  int error = futex(at, FUTEX_WAIT, value, timeout, NULL, 0) ? errno : 0;
  SEE("syscall", "proceeds");
  return note_result("futex_wait", error);
}

static int wait_bits(uint32_t bits, int clock, const struct timespec *at)
{
  return note_result("futex_wait_bitset", futex(&word, FUTEX_WAIT_BITSET | clock, 0, at, NULL, bits) ? errno : 0);
}

static long wake(uint32_t *at, int most)
{
  long n = futex(at, FUTEX_WAKE, (uint32_t)most, NULL, NULL, 0);
  SEE("futex_wake", "proceeds");
  return n;
}

static void fails(long result, int error, const char *operation, const char *name)
{
  EXPECT(result == -1);
  EXPECT(errno == error);
  SEE(operation, name);
}

/* ---- wait and wake ---- */

static void wait_while_zero(void)
{
  while (GET(word) == 0)
    wait_on(&word, 0, NULL);
}

static void set_and_wake(void)
{
  SET(word);
  wake(&word, 1);
}

CASE(futex_wait, until_woken, blocks, proceeds, EAGAIN)
{
  blocks_until("futex_wait", wait_while_zero, set_and_wake);
}

CASE(futex_wait, another_value, EAGAIN)
{
  EXPECT(wait_on(&word, 1, NULL) == EAGAIN);
}

DEADLOCK(futex_wait, never_woken, "sleeps on futex word")
{
  wait_on(&word, 0, NULL);
}

static void wait_five_seconds(void)
{
  struct timespec five = {5, 0}, at = after(CLOCK_MONOTONIC, 5);
  int error = 0;
  while (GET(word) == 0 && !error)
    error = wait_on(&word, 0, &five);
  EXPECT(error == 0 || error == EAGAIN || (error == ETIMEDOUT && passed(CLOCK_MONOTONIC, at)));
}

CASE(futex_wait, woken_or_timed_out, proceeds, ETIMEDOUT)
{
  pthread_t thread = start_call(wait_five_seconds);
  set_and_wake();
  finish(thread);
}

CASE(futex_wait, malformed_time, EINVAL)
{
  static const struct timespec before = {-1, 0};
  EXPECT(wait_on(&word, 0, &too_many_ns) == EINVAL);
  EXPECT(wait_on(&word, 0, &before) == EINVAL);
}

static void *sleep_once(void *name)
{
  ADD(asleep);
  while (wait_on(&word, 0, NULL) == EAGAIN)
    ;
  if (ADD(woken) == 1 && name)
    SEE("futex_wake", (const char *)name);
  return NULL;
}

static void wait_until_asleep(int threads)
{
  while (GET(asleep) < threads)
    sched_yield();
  let_others_run();
  let_others_run();
}

CASE(futex_wake, wakes_any_one, wakes_a, wakes_b, wakes_c)
{
  static const char *const names[] = {"wakes_a", "wakes_b", "wakes_c"};
  for (int i = 0; i < 3; i++)
    start(sleep_once, (void *)names[i]);
  wait_until_asleep(3);
  EXPECT(wake(&word, 1) <= 1);
  let_others_run();
  EXPECT(GET(woken) <= 1);
  exit(0);
}

CASE(futex_wake, counts, wakes_0, wakes_1, wakes_2)
{
  char label[] = "wakes_0";
  start(sleep_once, NULL);
  start(sleep_once, NULL);
  sched_yield();
  long n = wake(&word, INT_MAX);
  EXPECT(n >= 0 && n <= 2);
  label[6] = (char)('0' + n);
  SAW(label);
  exit(0);
}

CASE(futex_wake, nobody, proceeds)
{
  EXPECT(wake(&word, 1) == 0);
}

/* ---- bit sets ---- */

static uint32_t bits_woken;

static void *sleep_on_bit(void *number)
{
  uint32_t bit = 1u << (uintptr_t)number;
  ADD(asleep);
  EXPECT(wait_bits(bit, 0, NULL) == 0);
  EXPECT(__atomic_load_n(&bits_woken, __ATOMIC_SEQ_CST) & bit);
  SEE("futex_wake_bitset", number ? "wakes_bit_1" : "wakes_bit_0");
  return NULL;
}

static void wake_bit(uint32_t bit)
{
  __atomic_or_fetch(&bits_woken, bit, __ATOMIC_SEQ_CST);
  long n = futex(&word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, bit);
  EXPECT(n == 0 || n == 1);
  SAW("proceeds");
  if (n)
    SEE("futex_wait_bitset", "blocks");
  let_others_run();
}

CASE(futex_wake_bitset, only_those_with_the_bit, wakes_bit_0, wakes_bit_1, futex_wait_bitset:blocks)
{
  start(sleep_on_bit, (void *)0);
  start(sleep_on_bit, (void *)1);
  wait_until_asleep(2);
  wake_bit(2);
  wake_bit(1);
  exit(0);
}

static void wait_on_both_clocks(void)
{
  struct timespec at = after(CLOCK_MONOTONIC, 5);
  int error = wait_bits(1, 0, &at);
  EXPECT(error == 0 || error == EAGAIN || (error == ETIMEDOUT && passed(CLOCK_MONOTONIC, at)));
  at = after(CLOCK_REALTIME, 5);
  error = wait_bits(1, FUTEX_CLOCK_REALTIME, &at);
  EXPECT(error == 0 || error == EAGAIN || (error == ETIMEDOUT && passed(CLOCK_REALTIME, at)));
}

CASE(futex_wait_bitset, woken_or_timed_out, proceeds, ETIMEDOUT, EAGAIN)
{
  pthread_t thread = start_call(wait_on_both_clocks);
  set_and_wake();
  finish(thread);
}

CASE(futex_wait_bitset, no_bit, EINVAL)
{
  EXPECT(wait_bits(0, 0, &long_ago) == EINVAL);
  fails(futex(&word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0), EINVAL, "futex_wake_bitset", "EINVAL");
}

CASE(futex_wait_bitset, malformed_time, EINVAL, ETIMEDOUT)
{
  EXPECT(wait_bits(1, 0, &too_many_ns) == EINVAL);
  EXPECT(wait_bits(1, 0, &long_ago) == ETIMEDOUT);
}

/* ---- requeue ---- */

static void requeue_two(int operation, const char *name)
{
  start(sleep_once, NULL);
  start(sleep_once, NULL);
  wait_until_asleep(2);
  long n = futex(&word, operation, 1, (void *)1, &second, 0);
  SEE(name, "proceeds");
  EXPECT(n >= 0 && n <= 2);
  let_others_run();
  let_others_run();
  EXPECT(GET(woken) <= 1);
  if (n < 2)
    exit(0);
  SEE(name, "moves");
  EXPECT(wake(&word, INT_MAX) == 0);
  EXPECT(wake(&second, INT_MAX) == 1);
  while (GET(woken) < 2)
    sched_yield();
  exit(0);
}

CASE(futex_requeue, one_woken_one_moved, proceeds, moves)
{
  requeue_two(FUTEX_REQUEUE, "futex_requeue");
}

CASE(futex_cmp_requeue, one_woken_one_moved, proceeds, moves)
{
  requeue_two(FUTEX_CMP_REQUEUE, "futex_cmp_requeue");
}

CASE(futex_cmp_requeue, another_value, EAGAIN)
{
  fails(futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, &second, 5), EAGAIN, "futex_cmp_requeue", "EAGAIN");
}

/* ---- wake-op, priority inheritance ---- */

CASE(futex_wake_op, changes_a_word_and_wakes, proceeds)
{
  long n = futex(&word, FUTEX_WAKE_OP, 1, (void *)1, &second, FUTEX_OP(FUTEX_OP_SET, 3, FUTEX_OP_CMP_EQ, 0));
  EXPECT(n == 0);
  EXPECT(GET(second) == 3);
  SAW("proceeds");
}

/* ---- wrong calls ---- */

CASE(syscall, futex_errors, ENOSYS, EINVAL)
{
  fails(futex(&word, 99, 0, NULL, NULL, 0), ENOSYS, "syscall", "ENOSYS");
  fails(futex((uint32_t *)((char *)&word + 1), FUTEX_WAIT, 0, NULL, NULL, 0), EINVAL, "syscall", "EINVAL");
}

static int lock_word;
static int guarded;

static void hand_made_lock(void) /* 0: free, 1: taken, 2: taken and perhaps awaited */
{
  int expected = 0;
  if (__atomic_compare_exchange_n(&lock_word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  while (__atomic_exchange_n(&lock_word, 2, __ATOMIC_ACQUIRE) != 0)
    futex((uint32_t *)&lock_word, FUTEX_WAIT, 2, NULL, NULL, 0);
}

static void hand_made_unlock(void)
{
  if (__atomic_exchange_n(&lock_word, 0, __ATOMIC_RELEASE) == 2)
    wake((uint32_t *)&lock_word, 1);
}

static void count_up(void)
{
  hand_made_lock();
  guarded++;
  hand_made_unlock();
}

CASE(futex_wake, hand_made_mutex)
{
  pthread_t a = start_call(count_up), b = start_call(count_up);
  count_up();
  finish(a);
  finish(b);
  EXPECT(guarded == 3);
}

/* ---- words that inherit priorities ---- */

static uint32_t owned;

static int lock_pi(const struct timespec *until)
{
  uint32_t expected = 0;
  if (__atomic_compare_exchange_n(&owned, &expected, (uint32_t)gettid(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return 0;
  return note_result("futex_lock_pi", futex(&owned, FUTEX_LOCK_PI, 0, until, NULL, 0) ? errno : 0);
}

static void unlock_pi(void)
{
  uint32_t expected = (uint32_t)gettid();
  if (!__atomic_compare_exchange_n(&owned, &expected, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    EXPECT(note_result("futex_unlock_pi", futex(&owned, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) ? errno : 0) == 0);
}

static void count_up_pi(void)
{
  EXPECT(lock_pi(NULL) == 0);
  EXPECT((GET(owned) & FUTEX_TID_MASK) == (uint32_t)gettid());
  guarded++;
  unlock_pi();
}

CASE(futex_lock_pi, mutex_of_three, proceeds, futex_unlock_pi:proceeds)
{
  pthread_t a = start_call(count_up_pi), b = start_call(count_up_pi);
  count_up_pi();
  finish(a);
  finish(b);
  EXPECT(guarded == 3 && owned == 0);
}

static void lock_and_unlock_pi(void)
{
  EXPECT(lock_pi(NULL) == 0);
  unlock_pi();
}

CASE(futex_lock_pi, until_unlocked, blocks)
{
  EXPECT(lock_pi(NULL) == 0);
  blocks_until("futex_lock_pi", lock_and_unlock_pi, unlock_pi);
}

CASE(futex_lock_pi, errors, EDEADLK, ESRCH, futex_unlock_pi:EPERM)
{
  fails(futex(&owned, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0), EPERM, "futex_unlock_pi", "EPERM");
  EXPECT(lock_pi(NULL) == 0);
  fails(futex(&owned, FUTEX_LOCK_PI, 0, NULL, NULL, 0), EDEADLK, "futex_lock_pi", "EDEADLK");
  owned = FUTEX_TID_MASK;
  fails(futex(&owned, FUTEX_LOCK_PI, 0, NULL, NULL, 0), ESRCH, "futex_lock_pi", "ESRCH");
}

static void try_pi(void)
{
  fails(futex(&owned, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0), EAGAIN, "futex_trylock_pi", "EAGAIN");
  struct timespec until = after(CLOCK_REALTIME, 1);
  EXPECT(lock_pi(&until) == ETIMEDOUT);
  EXPECT(passed(CLOCK_REALTIME, until));
  until = after(CLOCK_MONOTONIC, 1);
  fails(futex(&owned, FUTEX_LOCK_PI2, 0, &until, NULL, 0), ETIMEDOUT, "futex_lock_pi", "ETIMEDOUT");
  EXPECT(passed(CLOCK_MONOTONIC, until));
}

CASE(futex_trylock_pi, held_by_another, EAGAIN, futex_lock_pi:ETIMEDOUT)
{
  EXPECT(futex(&owned, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == 0);
  SAW("proceeds");
  elsewhere(try_pi);
  unlock_pi();
}

static void wait_requeue(void)
{
  long result = futex(&word, FUTEX_WAIT_REQUEUE_PI, 0, NULL, &owned, 0);
  EXPECT(result == 0 || errno == EAGAIN);
  SEE("futex_wait_requeue_pi", result ? "EAGAIN" : "proceeds");
  if (result)
    return;
  EXPECT((GET(owned) & FUTEX_TID_MASK) == (uint32_t)gettid());
  unlock_pi();
}

CASE(futex_wait_requeue_pi, moved_to_a_lock, proceeds, EAGAIN, futex_cmp_requeue_pi:proceeds)
{
  pthread_t a = start_call(wait_requeue), b = start_call(wait_requeue);
  let_others_run();
  EXPECT(lock_pi(NULL) == 0);
  SET(word);
  EXPECT(futex(&word, FUTEX_CMP_REQUEUE_PI, 1, (void *)(intptr_t)INT_MAX, &owned, 1) >= 0);
  SEE("futex_cmp_requeue_pi", "proceeds");
  unlock_pi();
  finish(a);
  finish(b);
}

static uint32_t crossed[2];

/* The kernel sees the circle. */
static void *lock_crossed(void *first)
{
  for (int i = 0; i < 2; i++) {
    uint32_t *at = &crossed[(first != NULL) ^ i], expected = 0, self = (uint32_t)gettid();
    if (__atomic_compare_exchange_n(at, &expected, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      continue;
    int error = futex(at, FUTEX_LOCK_PI, 0, NULL, NULL, 0) ? errno : 0;
    EXPECT(error == 0 || error == EDEADLK);
    SEE("futex_lock_pi", error ? "EDEADLK" : "proceeds");
  }
  for (int i = 0; i < 2; i++)
    futex(&crossed[i], FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
  return NULL;
}

CASE(futex_lock_pi, opposite_orders, EDEADLK, proceeds)
{
  pthread_t thread = start(lock_crossed, &word);
  lock_crossed(NULL);
  finish(thread);
}

static void lock_and_end(void)
{
  EXPECT(lock_pi(NULL) == 0);
}

static void *lock_for_ever(void *arg)
{
  EXPECT(lock_pi(NULL) == 0);
  wait_on(&word, 0, NULL);
  return arg;
}

DEADLOCK(futex_lock_pi, never_unlocked, "futex")
{
  pthread_t thread = start(lock_for_ever, NULL);
  lock_and_end();
  finish(thread);
}
