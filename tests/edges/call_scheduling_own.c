/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads give themselves policies and look: what one has is nobody else's.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

static void *worker(void *policy)
{
  struct sched_param param = {0};
  assert(sched_setscheduler(gettid(), *(int *)policy, &param) == 0);
  assert(sched_getscheduler(0) == *(int *)policy);
  return NULL;
}

int main(void)
{
  pthread_t first, second;
  int batch = SCHED_BATCH, idle = SCHED_IDLE;
  pthread_create(&first, NULL, worker, &batch);
  pthread_create(&second, NULL, worker, &idle);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  assert(sched_getscheduler(getpid()) == SCHED_OTHER);
  return 0;
}
