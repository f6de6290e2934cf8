/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of two threads is given three tasks, and is then told to stop. A worker that wakes up looks at the stop
 * sign before it looks at the queue; so, what is still queued when the sign goes up is never done. The twin leaves
 * only when the queue is empty.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int queued;
static int done;
static int stopping;

static void *worker(void *arg)
{
  pthread_mutex_lock(&lock);
  for (;;) {
    while (queued == 0 && !stopping)
      pthread_cond_wait(&changed, &lock);
#ifdef FIXED
    if (queued == 0)
      break;
#else
    if (stopping)
      break;
#endif
    queued--;
    done++;
  }
  pthread_mutex_unlock(&lock);
  return arg;
}

static void submit(void)
{
  pthread_mutex_lock(&lock);
  queued++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

static void stop(void)
{
  pthread_mutex_lock(&lock);
  stopping = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

int main(void)
{
  pthread_t pool[2];

  for (int i = 0; i < 2; i++)
    pthread_create(&pool[i], NULL, worker, NULL);
  for (int i = 0; i < 3; i++)
    submit();
  stop();
  for (int i = 0; i < 2; i++)
    pthread_join(pool[i], NULL);
  assert(done == 3);
  return 0;
}
