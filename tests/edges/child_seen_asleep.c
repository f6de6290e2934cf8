/* SPDX-License-Identifier: Apache-2.0
 *
 * /proc says that the child sleeps, so it is in its sleep, which a signal ends then.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void handler(int signal)
{
  (void)signal;
}

static char state_of(pid_t pid)
{
  char path[40], state = '?';
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *f = fopen(path, "r");
  int number;
  assert(f && fscanf(f, "%d %*s %c", &number, &state) == 2 && number == pid);
  fclose(f);
  return state;
}

int main(void)
{
  struct sigaction action = {.sa_handler = handler};
  struct timespec one = {1, 0}, long_time = {1000, 0};
  pid_t child;
  sigaction(SIGUSR1, &action, NULL);
  assert(state_of(getpid()) == 'R');
  child = fork();
  if (!child) {
    assert(state_of(getpid()) == 'R');
    int result = nanosleep(&long_time, NULL);
    _exit(result == -1 && errno == EINTR ? 0 : 1);
  }
  for (int tries = 0; state_of(child) != 'S'; tries++) {
    if (tries == 20) { /* a slow machine: nothing can be said */
      kill(child, SIGKILL);
      return 0;
    }
    nanosleep(&one, NULL);
  }
  if (state_of(child) != 'S') /* a thousand seconds are over */
    return 0;
  kill(child, SIGUSR1);
  int status;
  assert(wait(&status) == child);
  return 0;
}
