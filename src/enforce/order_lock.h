/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock, and words to sleep on, by the kernel's futex alone: the functions of libpthread are those that the library
 * stands in front of.
 */
#ifndef HEDDLE_ENFORCE_ORDER_LOCK_H
#define HEDDLE_ENFORCE_ORDER_LOCK_H

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SETTLING UINT64_C(100000) /* nanoseconds, until a thread on its way into a call is asked for again */
#define WITHOUT_END UINT64_MAX

/* The last argument of our own waits, which the kernel does not look at: whoever is in one is held, not blocked
 * (order_calls.c: syscall). */
#define OWN_WAIT 0x68656464L

/* Until the word is no longer the value, or the time is over; may come back for no reason. */
static inline void order_sleep(uint32_t *word, uint32_t value, uint64_t nanoseconds)
{
  struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nanoseconds == WITHOUT_END ? NULL : &time, NULL, OWN_WAIT);
}

static inline void order_wake(uint32_t *word)
{
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* 0: free, 1: taken, 2: taken, and somebody sleeps on it. */
static inline void order_lock(uint32_t *lock)
{
  uint32_t free = 0;
  if (__atomic_compare_exchange_n(lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  for (unsigned i = 0; i < 100; i++) { /* it is never held for long */
    free = 0;
    if (!__atomic_load_n(lock, __ATOMIC_RELAXED) &&
        __atomic_compare_exchange_n(lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return;
    __builtin_ia32_pause();
  }
  while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE))
    syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, OWN_WAIT);
}

static inline void order_unlock(uint32_t *lock)
{
  if (__atomic_exchange_n(lock, 0, __ATOMIC_SEQ_CST) == 2)
    syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

#endif
