/* SPDX-License-Identifier: Apache-2.0
 *
 * A second has passed and the child can only be asleep: the signal ends its sleep. So it is where sleeps are exact, and
 * with a timer, too.
 *
 * verdict: quiet
 * options: --sleeps exact
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void handler(int signal)
{
  (void)signal;
}

int main(void)
{
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGALRM, &action, NULL);
  pid_t child = fork();
  if (!child) {
    struct timeval long_time = {1000, 0};
    int result = select(0, NULL, NULL, NULL, &long_time);
    _exit(result == -1 && errno == EINTR ? 0 : 1);
  }
  sleep(1);
  kill(child, SIGUSR1);
  int status;
  assert(wait(&status) == child && status == 0);
  struct itimerval soon = {.it_value.tv_usec = 1000};
  setitimer(ITIMER_REAL, &soon, NULL);
  assert(sleep(1000) > 0);
  return 0;
}
