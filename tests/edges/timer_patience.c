/* SPDX-License-Identifier: Apache-2.0
 *
 * A timed wait is taken for granted to end with the signal and never with the timeout. Natively, with pauses, it
 * failed in 179 of 600 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *worker(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void)
{
  struct timespec deadline;
  pthread_t thread;
  int why = 0;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_nsec += 200000;
  if (deadline.tv_nsec >= 1000000000) {
    deadline.tv_nsec -= 1000000000;
    deadline.tv_sec++;
  }
  pthread_create(&thread, NULL, worker, NULL);
  pthread_mutex_lock(&mutex);
  while (!ready && why == 0)
    why = pthread_cond_timedwait(&changed, &mutex, &deadline);
  assert(ready);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
