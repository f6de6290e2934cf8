/* SPDX-License-Identifier: Apache-2.0
 *
 * A timer thread made by hand: it waits on a condition until the deadline or until it is told to stop.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stop;

static void *timer(void *unused)
{
  (void)unused;
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec++;
  pthread_mutex_lock(&mutex);
  int why = 0;
  while (!stop && why == 0)
    why = pthread_cond_timedwait(&changed, &mutex, &deadline);
  assert(why == 0 || why == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, timer, NULL);
  pthread_mutex_lock(&mutex);
  stop = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
