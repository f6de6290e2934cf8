/* SPDX-License-Identifier: Apache-2.0
 *
 * Main asks a question, waits for the answer, but not for ever, and then uses the answer, without asking why the wait
 * has ended. If time ran out, there is no answer. The twin looks whether there is one.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static int answer; /* 0: none yet */

static void *oracle(void *arg)
{
  pthread_mutex_lock(&lock);
  answer = 42;
  pthread_cond_signal(&answered);
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t thread;
  struct timespec deadline;
  int error = 0;

  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 1;
  pthread_create(&thread, NULL, oracle, NULL);

  pthread_mutex_lock(&lock);
  while (answer == 0 && error == 0)
    error = pthread_cond_timedwait(&answered, &lock, &deadline);
#ifdef FIXED
  if (answer != 0)
#endif
    assert(answer == 42);
  pthread_mutex_unlock(&lock);

  pthread_join(thread, NULL);
  return 0;
}
