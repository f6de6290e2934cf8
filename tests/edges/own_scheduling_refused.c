/* SPDX-License-Identifier: Apache-2.0
 *
 * A process that gave up the right to it can have no priority, neither for itself nor for a new thread, and cannot take
 * back that it is nice.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void give_up_rights(void)
{
  struct __user_cap_header_struct who = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0}};
  struct rlimit zero = {0, 0};
  assert(setrlimit(RLIMIT_RTPRIO, &zero) == 0 && setrlimit(RLIMIT_NICE, &zero) == 0);
  assert(syscall(SYS_capset, &who, none) == 0);
}

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  struct sched_param param = {.sched_priority = 5};
  pthread_attr_t kind;
  pthread_t thread;
  give_up_rights();
  assert(sched_setscheduler(0, SCHED_FIFO, &param) == -1 && errno == EPERM);
  assert(pthread_setschedparam(pthread_self(), SCHED_RR, &param) == EPERM);
  assert(setpriority(PRIO_PROCESS, 0, 15) == 0);
  assert(setpriority(PRIO_PROCESS, 0, 5) == -1 && errno == EACCES);
  assert(getpriority(PRIO_PROCESS, 0) == 15);
  pthread_attr_init(&kind);
  pthread_attr_setinheritsched(&kind, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&kind, SCHED_FIFO);
  pthread_attr_setschedparam(&kind, &param);
  assert(pthread_create(&thread, &kind, worker, NULL) == EPERM);
  assert(pthread_create(&thread, NULL, worker, NULL) == 0);
  return pthread_join(thread, NULL);
}
