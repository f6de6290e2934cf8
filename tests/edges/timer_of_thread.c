/* SPDX-License-Identifier: Apache-2.0
 *
 * A timer whose signal goes to one thread.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void *worker(void *unused)
{
  (void)unused;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
  struct itimerspec once = {{0, 0}, {0, 1000000}};
  sigset_t set;
  timer_t timer;
  int got;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  assert(timer_settime(timer, 0, &once, NULL) == 0);
  assert(sigwait(&set, &got) == 0 && got == SIGUSR1);
  timer_delete(timer);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
