/* SPDX-License-Identifier: Apache-2.0
 *
 * A wait for a condition times out, but gets its mutex back only after the other thread has set what it waits for: to have
 * timed out does not mean that it is not so.
 *
 * verdict: found
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool ready;

static void *setter(void *unused)
{
  pthread_mutex_lock(&mutex);
  ready = true;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void)
{
  pthread_t thread;
  struct timespec deadline;
  int error = 0;
  pthread_create(&thread, NULL, setter, NULL);
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec++;
  pthread_mutex_lock(&mutex);
  while (!ready && error != ETIMEDOUT)
    error = pthread_cond_timedwait(&condition, &mutex, &deadline);
  assert(ready != (error == ETIMEDOUT));
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
