/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in which threads wait for others: whoever goes into one is marked before, and so while it still holds the mutex
 * of a condition variable. Without a schedule that asks who is blocked, or could come to a standstill, they are
 * forwarded.
 */
#include "enforce/order_keeping.h"
#include "enforce/order_real.h"
#include "enforce/order_threads.h"
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

static void mark(struct order_thread *self, const char *call, bool timed)
{
  __atomic_store_n(&self->timed, timed, __ATOMIC_RELAXED);
  __atomic_store_n(&self->waits_in, call, __ATOMIC_SEQ_CST);
  if (call && order_asks())
    order_look_again();
}

/*  X(result, function, can time out, (parameters), (arguments)) */
#define CALLS(X)                                                                                                       \
  X(int, pthread_mutex_lock, false, (pthread_mutex_t * m), (m))                                                        \
  X(int, pthread_mutex_timedlock, true, (pthread_mutex_t * m, const struct timespec *t), (m, t))                       \
  X(int, pthread_mutex_clocklock, true, (pthread_mutex_t * m, clockid_t c, const struct timespec *t), (m, c, t))       \
  X(int, pthread_cond_wait, false, (pthread_cond_t * c, pthread_mutex_t * m), (c, m))                                  \
  X(int, pthread_cond_timedwait, true, (pthread_cond_t * c, pthread_mutex_t * m, const struct timespec *t), (c, m, t)) \
  X(int, pthread_cond_clockwait, true,                                                                                 \
    (pthread_cond_t * c, pthread_mutex_t * m, clockid_t k, const struct timespec *t), (c, m, k, t))                    \
  X(int, pthread_rwlock_rdlock, false, (pthread_rwlock_t * l), (l))                                                    \
  X(int, pthread_rwlock_wrlock, false, (pthread_rwlock_t * l), (l))                                                    \
  X(int, pthread_rwlock_timedrdlock, true, (pthread_rwlock_t * l, const struct timespec *t), (l, t))                   \
  X(int, pthread_rwlock_timedwrlock, true, (pthread_rwlock_t * l, const struct timespec *t), (l, t))                   \
  X(int, pthread_barrier_wait, false, (pthread_barrier_t * b), (b))                                                    \
  X(int, pthread_join, false, (pthread_t id, void **r), (id, r))                                                       \
  X(int, pthread_timedjoin_np, true, (pthread_t id, void **r, const struct timespec *t), (id, r, t))                   \
  X(int, sem_wait, false, (sem_t * s), (s))                                                                            \
  X(int, sem_timedwait, true, (sem_t * s, const struct timespec *t), (s, t))                                           \
  X(int, sem_clockwait, true, (sem_t * s, clockid_t c, const struct timespec *t), (s, c, t))                           \
  X(int, mtx_lock, false, (mtx_t * m), (m))                                                                            \
  X(int, mtx_timedlock, true, (mtx_t * m, const struct timespec *t), (m, t))                                           \
  X(int, cnd_wait, false, (cnd_t * c, mtx_t * m), (c, m))                                                              \
  X(int, cnd_timedwait, true, (cnd_t * c, mtx_t * m, const struct timespec *t), (c, m, t))                             \
  X(int, thrd_join, false, (thrd_t id, int *r), (id, r))

#define X(type, function, timed, parameters, arguments)                                                                \
  __attribute__((visibility("default"))) type function parameters                                                      \
  {                                                                                                                    \
    struct order_thread *self = order_how() ? order_self() : NULL;                                                     \
    if (!self)                                                                                                         \
      return REAL(function) arguments;                                                                                 \
    mark(self, #function, timed);                                                                                      \
    type result = REAL(function) arguments;                                                                            \
    mark(self, NULL, false);                                                                                           \
    return result;                                                                                                     \
  }
CALLS(X)
#undef X
