/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of two workers is closed with a signal: one of them wakes, the other one waits for ever.
 * tell: bug +a signal wakes one thread where all must wake: main changes `pool.closed`
 * tell: signals `pool.more` once, at :\d+, while T1 and T2 wait; that wakes one, and T\d waits on
 * tell: fix +pthread_cond_broadcast\(\) instead of the signal at pool_closed_by_signal\.c:\d+
 */
#include <pthread.h>
#include <stddef.h>

static struct {
  pthread_mutex_t lock;
  pthread_cond_t more;
  int jobs, closed;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 1, 0};

static void *worker(void *arg)
{
  pthread_mutex_lock(&pool.lock);
  for (;;) {
    while (pool.jobs == 0 && !pool.closed)
      pthread_cond_wait(&pool.more, &pool.lock);
    if (pool.jobs == 0)
      break;
    pool.jobs--;
  }
  pthread_mutex_unlock(&pool.lock);
  return arg;
}

int main(void)
{
  pthread_t worker_of[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&worker_of[i], NULL, worker, NULL);
  pthread_mutex_lock(&pool.lock);
  pool.closed = 1;
#ifdef FIXED
  pthread_cond_broadcast(&pool.more);
#else
  pthread_cond_signal(&pool.more);
#endif
  pthread_mutex_unlock(&pool.lock);
  for (int i = 0; i < 2; i++)
    pthread_join(worker_of[i], NULL);
}
