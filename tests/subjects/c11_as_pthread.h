/* SPDX-License-Identifier: Apache-2.0
 *
 * The few C11 thread functions that the subjects use, on top of pthreads. For ThreadSanitizer only (native.sh), which
 * does not intercept those of glibc and takes every lock for no lock.
 */
#include <pthread.h>
#include <stdint.h>
#include <threads.h>

struct c11_start {
  int (*run)(void *);
  void *arg;
};

static struct c11_start c11_start[8];
static int c11_started;

static void *c11_run(void *arg)
{
  struct c11_start *start = arg;
  return (void *)(intptr_t)start->run(start->arg);
}

static int c11_create(thrd_t *thread, int (*run)(void *), void *arg)
{
  struct c11_start *start = &c11_start[c11_started++];
  *start = (struct c11_start){run, arg};
  return pthread_create(thread, NULL, c11_run, start);
}

#define thrd_create c11_create
#define thrd_join(thread, result) pthread_join(thread, (void **)(result))
#define mtx_t pthread_mutex_t
#define mtx_init(mutex, kind) pthread_mutex_init(mutex, NULL)
#define mtx_lock pthread_mutex_lock
#define mtx_unlock pthread_mutex_unlock
#define mtx_destroy pthread_mutex_destroy
#define cnd_t pthread_cond_t
#define cnd_init(condition) pthread_cond_init(condition, NULL)
#define cnd_wait pthread_cond_wait
#define cnd_signal pthread_cond_signal
#define cnd_destroy pthread_cond_destroy
