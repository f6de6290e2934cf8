/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of C that take and release locks, by name: their first argument is the lock.
 */
#ifndef HEDDLE_FRONTEND_LOCK_FUNCTIONS_H
#define HEDDLE_FRONTEND_LOCK_FUNCTIONS_H

enum lock_deed {
  LOCK_RELEASES,
  LOCK_TAKES,
  LOCK_TRIES, /* it has been taken if it returns 0 */
  LOCK_TRIES_TRUE,
};

/* X(name, deed) */
#define HD_LOCK_FUNCTIONS(X)                                                                                           \
  X(pthread_mutex_lock, TAKES)                                                                                         \
  X(pthread_mutex_trylock, TRIES)                                                                                      \
  X(pthread_mutex_timedlock, TRIES)                                                                                    \
  X(pthread_mutex_clocklock, TRIES)                                                                                    \
  X(pthread_mutex_unlock, RELEASES)                                                                                    \
  X(pthread_rwlock_rdlock, TAKES)                                                                                      \
  X(pthread_rwlock_wrlock, TAKES)                                                                                      \
  X(pthread_rwlock_tryrdlock, TRIES)                                                                                   \
  X(pthread_rwlock_trywrlock, TRIES)                                                                                   \
  X(pthread_rwlock_timedrdlock, TRIES)                                                                                 \
  X(pthread_rwlock_timedwrlock, TRIES)                                                                                 \
  X(pthread_rwlock_clockrdlock, TRIES)                                                                                 \
  X(pthread_rwlock_clockwrlock, TRIES)                                                                                 \
  X(pthread_rwlock_unlock, RELEASES)                                                                                   \
  X(pthread_spin_lock, TAKES)                                                                                          \
  X(pthread_spin_trylock, TRIES)                                                                                       \
  X(pthread_spin_unlock, RELEASES)                                                                                     \
  X(mtx_lock, TAKES)                                                                                                   \
  X(mtx_trylock, TRIES)                                                                                                \
  X(mtx_timedlock, TRIES)                                                                                              \
  X(mtx_unlock, RELEASES)                                                                                              \
  X(g_mutex_lock, TAKES)                                                                                               \
  X(g_mutex_trylock, TRIES_TRUE)                                                                                       \
  X(g_mutex_unlock, RELEASES)                                                                                          \
  X(g_rec_mutex_lock, TAKES)                                                                                           \
  X(g_rec_mutex_trylock, TRIES_TRUE)                                                                                   \
  X(g_rec_mutex_unlock, RELEASES)                                                                                      \
  X(g_rw_lock_reader_lock, TAKES)                                                                                      \
  X(g_rw_lock_reader_trylock, TRIES_TRUE)                                                                              \
  X(g_rw_lock_reader_unlock, RELEASES)                                                                                 \
  X(g_rw_lock_writer_lock, TAKES)                                                                                      \
  X(g_rw_lock_writer_trylock, TRIES_TRUE)                                                                              \
  X(g_rw_lock_writer_unlock, RELEASES)

#endif
