/* SPDX-License-Identifier: Apache-2.0
 *
 * An idle worker waits on a condition nobody signals; main does its part and returns. That is how many programs end.
 * No failure in 100 native runs with pauses.
 *
 * verdict: complete
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int queued;

static void *worker(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  while (!queued)
    pthread_cond_wait(&work, &mutex);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  return 0;
}
