/* SPDX-License-Identifier: Apache-2.0
 *
 * A process that has a group of its own is stopped when its parent ends: nobody would let it go on, so it gets SIGHUP
 * and SIGCONT, and ends. Once it is orphaned SIGTSTP does nothing, which is for terminals, while SIGSTOP would.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void in_own_group(int end)
{
  setpgid(0, 0);
  raise(SIGTSTP); /* its parent is there, and in another group */
  signal(SIGHUP, SIG_DFL);
  write(end, "h", 1);
  raise(SIGTSTP); /* is ignored */
  write(end, "t", 1);
  _exit(0);
}

int main(void)
{
  int ends[2], status;
  char c[2];
  assert(!pipe(ends));
  signal(SIGHUP, SIG_IGN);
  if (fork() == 0) {
    pid_t child = fork();
    if (child == 0)
      in_own_group(ends[1]);
    assert(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    _exit(0);
  }
  close(ends[1]);
  assert(read(ends[0], &c[0], 1) == 1 && c[0] == 'h');
  assert(read(ends[0], &c[1], 1) == 1 && c[1] == 't');
  return 0;
}
