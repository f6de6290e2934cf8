/* SPDX-License-Identifier: Apache-2.0
 *
 * The child ends between the test and pause: SIGCHLD comes too early and the parent waits for ever. Natively, with
 * pauses, 5 of 59 runs hung.
 *
 * verdict: find
 * kind: deadlock
 */
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void on_child(int number)
{
  (void)number;
  ended = 1;
}

int main(void)
{
  struct sigaction action = {.sa_handler = on_child};
  sigaction(SIGCHLD, &action, NULL);
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  while (!ended)
    pause();
  waitpid(child, NULL, 0);
  return 0;
}
