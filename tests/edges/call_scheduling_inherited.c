/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread gives main another policy, and main creates a thread that inherits what main has by then.
 *
 * verdict: found
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_t main_thread;

static void *worker(void *unused)
{
  struct sched_param param = {0};
  pthread_setschedparam(main_thread, SCHED_BATCH, &param);
  return unused;
}

static void *heir(void *unused)
{
  struct sched_param param;
  int policy;
  pthread_getschedparam(pthread_self(), &policy, &param);
  assert(policy == SCHED_OTHER);
  return unused;
}

int main(void)
{
  pthread_t first, second;
  main_thread = pthread_self();
  pthread_create(&first, NULL, worker, NULL);
  pthread_create(&second, NULL, heir, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
