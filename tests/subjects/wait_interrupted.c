/* SPDX-License-Identifier: Apache-2.0
 *
 * A timer rings while a process waits for its child: waitpid() is interrupted, which is taken for a child that has failed. The twin has
 * the call begun again (SA_RESTART).
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;

static void tick(int signal)
{
  (void)signal;
  ticks = ticks + 1;
}

int main(void)
{
#ifdef FIXED
  struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
#else
  struct sigaction action = {.sa_handler = tick};
#endif
  struct itimerval soon = {.it_value = {.tv_usec = 1000}};
  sigaction(SIGALRM, &action, NULL);
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  setitimer(ITIMER_REAL, &soon, NULL);
  assert(waitpid(child, NULL, 0) == child);
  return 0;
}
