/* SPDX-License-Identifier: Apache-2.0
 *
 * A parent wants SIGIO when its end of a socket pair is ready, as servers do that tell their workers what to do: a word
 * from its child interrupts its pause, and the end of the child's side too.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t came;

static void note(int signal)
{
  (void)signal;
  came++;
}

int main(void)
{
  int ends[2], on = 1;
  sigset_t io, none;
  char c;
  sigemptyset(&none);
  sigemptyset(&io);
  sigaddset(&io, SIGIO);
  sigprocmask(SIG_BLOCK, &io, NULL);
  assert(!sigaction(SIGIO, &(struct sigaction){.sa_handler = note}, NULL));
  assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  assert(!ioctl(ends[0], FIOASYNC, &on) && !fcntl(ends[0], F_SETOWN, getpid()));
  assert(fcntl(ends[0], F_GETOWN) == getpid() && fcntl(ends[0], F_GETFL) & O_ASYNC);
  pid_t child = fork();
  if (child == 0)
    _exit(write(ends[1], "w", 1) != 1);
  while (!came)
    sigsuspend(&none);
  assert(read(ends[0], &c, 1) == 1 && c == 'w');
  assert(waitpid(child, NULL, 0) == child);
  return 0;
}
