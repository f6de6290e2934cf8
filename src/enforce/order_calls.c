/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in which threads wait for others, or for the outside, which may end by itself: whoever goes into one is marked
 * before, and so while it still holds the mutex of a condition variable. Without a schedule that asks who is blocked,
 * or could come to a standstill, they are forwarded. What it waits for is kept, for whoever tells of a deadlock.
 */
#include "enforce/order_keeping.h"
#include "enforce/order_lock.h"
#include "enforce/order_real.h"
#include "enforce/order_threads.h"
#include "enforce/property_calls.h"
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <threads.h>
#include <unistd.h>

static void mark(struct order_thread *self, const char *call, bool timed, uintptr_t object, const void *mutex)
{
  __atomic_store_n(&self->moves, self->moves + 1, __ATOMIC_RELAXED);
  __atomic_store_n(&self->timed, timed, __ATOMIC_RELAXED);
  __atomic_store_n(&self->waits_for, object, __ATOMIC_RELAXED);
  __atomic_store_n(&self->mutex, (const pthread_mutex_t *)mutex, __ATOMIC_RELAXED);
  __atomic_store_n(&self->waits_in, call, __ATOMIC_SEQ_CST);
  if (call && order_asks())
    order_look_again();
}

/*  X(result, function, can end by itself or by somebody outside, waits for, mutex, (parameters), (arguments)) */
#define CALLS(X)                                                                                                       \
  X(int, pthread_mutex_lock, false, m, m, (pthread_mutex_t * m), (m))                                                  \
  X(int, pthread_mutex_timedlock, true, m, m, (pthread_mutex_t * m, const struct timespec *t), (m, t))                 \
  X(int, pthread_mutex_clocklock, true, m, m, (pthread_mutex_t * m, clockid_t c, const struct timespec *t), (m, c, t)) \
  X(int, pthread_cond_wait, false, c, m, (pthread_cond_t * c, pthread_mutex_t * m), (c, m))                            \
  X(int, pthread_cond_timedwait, true, c, m, (pthread_cond_t * c, pthread_mutex_t * m, const struct timespec *t),      \
    (c, m, t))                                                                                                         \
  X(int, pthread_cond_clockwait, true, c, m,                                                                           \
    (pthread_cond_t * c, pthread_mutex_t * m, clockid_t k, const struct timespec *t), (c, m, k, t))                    \
  X(int, pthread_rwlock_rdlock, false, l, NULL, (pthread_rwlock_t * l), (l))                                           \
  X(int, pthread_rwlock_wrlock, false, l, NULL, (pthread_rwlock_t * l), (l))                                           \
  X(int, pthread_rwlock_timedrdlock, true, l, NULL, (pthread_rwlock_t * l, const struct timespec *t), (l, t))          \
  X(int, pthread_rwlock_timedwrlock, true, l, NULL, (pthread_rwlock_t * l, const struct timespec *t), (l, t))          \
  X(int, pthread_barrier_wait, false, b, NULL, (pthread_barrier_t * b), (b))                                           \
  X(int, pthread_join, false, id, NULL, (pthread_t id, void **r), (id, r))                                             \
  X(int, pthread_timedjoin_np, true, id, NULL, (pthread_t id, void **r, const struct timespec *t), (id, r, t))         \
  X(int, sem_wait, false, s, NULL, (sem_t * s), (s))                                                                   \
  X(int, sem_timedwait, true, s, NULL, (sem_t * s, const struct timespec *t), (s, t))                                  \
  X(int, sem_clockwait, true, s, NULL, (sem_t * s, clockid_t c, const struct timespec *t), (s, c, t))                  \
  X(int, mtx_lock, false, m, m, (mtx_t * m), (m))                                                                      \
  X(int, mtx_timedlock, true, m, m, (mtx_t * m, const struct timespec *t), (m, t))                                     \
  X(int, cnd_wait, false, c, m, (cnd_t * c, mtx_t * m), (c, m))                                                        \
  X(int, cnd_timedwait, true, c, m, (cnd_t * c, mtx_t * m, const struct timespec *t), (c, m, t))                       \
  X(int, thrd_join, false, id, NULL, (thrd_t id, int *r), (id, r))                                                     \
  X(ssize_t, read, true, fd, NULL, (int fd, void *to, size_t size), (fd, to, size))                                    \
  X(ssize_t, recv, true, fd, NULL, (int fd, void *to, size_t size, int flags), (fd, to, size, flags))                  \
  X(int, accept, true, fd, NULL, (int fd, struct sockaddr *restrict address, socklen_t *restrict size),                \
    (fd, address, size))                                                                                               \
  X(int, sigwait, true, set, NULL, (const sigset_t *set, int *number), (set, number))

#define X(type, function, timed, object, mutex, parameters, arguments)                                                 \
  __attribute__((visibility("default"))) type function parameters                                                      \
  {                                                                                                                    \
    struct order_thread *self = order_watches() ? order_self() : NULL;                                                 \
    if (!self)                                                                                                         \
      return REAL(function) arguments;                                                                                 \
    mark(self, #function, timed, (uintptr_t)object, mutex);                                                            \
    type result = REAL(function) arguments;                                                                            \
    mark(self, NULL, false, 0, NULL);                                                                                  \
    return result;                                                                                                     \
  }
CALLS(X)
#undef X

/* With nothing to wait for it is a sleep. */
__attribute__((visibility("default"))) int poll(struct pollfd *list, nfds_t count, int timeout)
{
  struct order_thread *self = order_watches() ? order_self() : NULL;
  if (property_leaves_out_sleeps() && !count && timeout >= 0) {
    sched_yield();
    return 0;
  }
  if (!self)
    return REAL(poll)(list, count, timeout);
  mark(self, "poll", true, (uintptr_t)list, NULL);
  int result = REAL(poll)(list, count, timeout);
  mark(self, NULL, false, 0, NULL);
  return result;
}

/* Futures, latches and waits for atomics of C++ ask the kernel by themselves. */
static bool waits_by_futex(long number, const long argument[6])
{
  const long command = argument[1] & FUTEX_CMD_MASK;
  return number == SYS_futex && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && argument[5] != OWN_WAIT;
}

__attribute__((visibility("default"))) long syscall(long number, ...)
{
  long a[6];
  va_list list;
  va_start(list, number);
  for (unsigned i = 0; i < 6; i++)
    a[i] = va_arg(list, long);
  va_end(list);
  struct order_thread *self = waits_by_futex(number, a) && order_watches() ? order_self() : NULL;
  if (self)
    mark(self, "futex", a[3] != 0, (uintptr_t)a[0], NULL);
  long result = REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (self)
    mark(self, NULL, false, 0, NULL);
  return result;
}
