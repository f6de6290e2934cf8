/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread gives main another policy by main's number while main asks for its own. Whoever comes first decides what
 * main is told.
 *
 * verdict: found
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static void *worker(void *unused)
{
  struct sched_param param = {0};
  sched_setscheduler(getpid(), SCHED_BATCH, &param);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  int policy = sched_getscheduler(0);
  pthread_join(thread, NULL);
  assert(policy == SCHED_OTHER);
  return 0;
}
