/* SPDX-License-Identifier: Apache-2.0
 *
 * C11 threads. glibc's bypass the pthread symbols, so they are intercepted themselves; the models are the same, only
 * names and results differ. call_once is in once.c, tss_* in tsd.c.
 */
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/model/cond.h"
#include "worlds/threads/model/mutex.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/time.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <threads.h>

static int result_of(int error)
{
  switch (error) {
  case 0:
    return thrd_success;
  case EBUSY:
    return thrd_busy;
  case ETIMEDOUT:
    return thrd_timedout;
  case ENOMEM:
    return thrd_nomem;
  default:
    return thrd_error;
  }
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
  if (!hd_self)
    return REAL(thrd_create)(thread, start, arg);
  return result_of(thread_create_c11((unsigned long *)thread, start, arg, CALLER()));
}

EXPORT int thrd_join(thrd_t thread, int *result)
{
  if (!hd_self)
    return REAL(thrd_join)(thread, result);
  void *value = NULL;
  int error = thread_join((pthread_t)thread, result ? &value : NULL, CALLER());
  if (result && !error) {
    writes_for(result, sizeof *result, CALLER());
    *result = (int)(intptr_t)value;
  }
  return result_of(error);
}

EXPORT thrd_t thrd_current(void)
{
  return (thrd_t)pthread_self();
}

EXPORT int thrd_detach(thrd_t thread)
{
  return hd_self ? result_of(thread_detach((pthread_t)thread, CALLER())) : REAL(thrd_detach)(thread);
}

EXPORT void thrd_exit(int result)
{
  if (!hd_self)
    REAL(thrd_exit)(result);
  thread_exit((void *)(intptr_t)result);
}

EXPORT void thrd_yield(void)
{
  if (hd_self)
    virtual_yield(CALLER());
  else
    REAL(thrd_yield)();
}

EXPORT int thrd_sleep(const struct timespec *how_long, struct timespec *left)
{
  if (!hd_self)
    return REAL(thrd_sleep)(how_long, left);
  int error = virtual_sleep(CLOCK_REALTIME, false, how_long, left, CALLER());
  return !error ? 0 : error == EINTR ? -1 : -2;
}

static pthread_mutex_t *as_mutex(mtx_t *m)
{
  return (pthread_mutex_t *)m; /* glibc's mtx_t is one */
}

static pthread_cond_t *as_cond(cnd_t *c)
{
  return (pthread_cond_t *)c;
}

EXPORT int mtx_init(mtx_t *m, int type)
{
  if (!hd_self)
    return REAL(mtx_init)(m, type);
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  if (type & mtx_recursive)
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  int result = mutex_init(as_mutex(m), &attr, CALLER());
  pthread_mutexattr_destroy(&attr);
  return result_of(result);
}

EXPORT void mtx_destroy(mtx_t *m)
{
  if (hd_self)
    mutex_destroy(as_mutex(m), CALLER());
  else
    REAL(mtx_destroy)(m);
}

EXPORT int mtx_lock(mtx_t *m)
{
  return hd_self ? result_of(mutex_lock(as_mutex(m), CALLER())) : REAL(mtx_lock)(m);
}

EXPORT int mtx_trylock(mtx_t *m)
{
  return hd_self ? result_of(mutex_trylock(as_mutex(m), CALLER())) : REAL(mtx_trylock)(m);
}

EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *at)
{
  if (!hd_self)
    return REAL(mtx_timedlock)(m, at);
  return result_of(mutex_lock_until(as_mutex(m), CLOCK_REALTIME, at, CALLER()));
}

EXPORT int mtx_unlock(mtx_t *m)
{
  return hd_self ? result_of(mutex_unlock(as_mutex(m), CALLER())) : REAL(mtx_unlock)(m);
}

EXPORT int cnd_init(cnd_t *c)
{
  return hd_self ? result_of(cond_init(as_cond(c), NULL, CALLER())) : REAL(cnd_init)(c);
}

EXPORT void cnd_destroy(cnd_t *c)
{
  if (hd_self)
    cond_destroy(as_cond(c), CALLER());
  else
    REAL(cnd_destroy)(c);
}

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
  return hd_self ? result_of(cond_wait(as_cond(c), as_mutex(m), CALLER())) : REAL(cnd_wait)(c, m);
}

EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict at)
{
  if (!hd_self)
    return REAL(cnd_timedwait)(c, m, at);
  return result_of(cond_wait_until(as_cond(c), as_mutex(m), CLOCK_REALTIME, at, CALLER()));
}

EXPORT int cnd_signal(cnd_t *c)
{
  return hd_self ? result_of(cond_signal(as_cond(c), CALLER())) : REAL(cnd_signal)(c);
}

EXPORT int cnd_broadcast(cnd_t *c)
{
  return hd_self ? result_of(cond_broadcast(as_cond(c), CALLER())) : REAL(cnd_broadcast)(c);
}
