/* SPDX-License-Identifier: Apache-2.0
 *
 * As real-time programs do: all memory is locked, and the thread that counts has a priority, if that is permitted.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

static void *worker(void *unused)
{
  struct sched_param param = {.sched_priority = 10};
  int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
  assert(!error || error == EPERM);
  return unused;
}

int main(void)
{
  pthread_t thread;
  int locked = mlockall(MCL_CURRENT | MCL_FUTURE);
  assert(!locked || errno == EPERM || errno == ENOMEM);
  assert(mlockall(0) == -1 && errno == EINVAL);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  assert(munlockall() == 0);
  return 0;
}
