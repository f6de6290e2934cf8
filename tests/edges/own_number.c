/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that take the number of the process itself: scheduling parameters, priority, group, session, signal 0.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *worker(void *unused)
{
  (void)unused;
  struct sched_param parameter;
  pid_t self = (pid_t)syscall(SYS_gettid);
  assert(self != getpid());
  assert(sched_getparam(self, &parameter) == 0);
  assert(sched_getscheduler(self) == SCHED_OTHER);
  assert(syscall(SYS_tgkill, getpid(), self, 0) == 0);
  return NULL;
}

int main(void)
{
  struct sched_param parameter;
  pthread_t thread;
  assert(sched_getparam(getpid(), &parameter) == 0 && parameter.sched_priority == 0);
  assert(sched_getscheduler(getpid()) == SCHED_OTHER);
  assert(getpgid(getpid()) == getpgrp());
  assert(getsid(getpid()) == getsid(0));
  assert(getpriority(PRIO_PROCESS, getpid()) == getpriority(PRIO_PROCESS, 0));
  assert(kill(getpid(), 0) == 0);
  assert((pid_t)syscall(SYS_gettid) == getpid());
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
