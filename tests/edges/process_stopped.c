/* SPDX-License-Identifier: Apache-2.0
 *
 * A child that was stopped does nothing until it is let go on; its parent is told of both, by wait() and by SIGCHLD.
 *
 * verdict: quiet
 * expect-text: no bug
 */
#include <assert.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  volatile int *steps = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sigset_t set;
  siginfo_t info;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, NULL);
  pid_t child = fork();
  if (!child) {
    raise(SIGSTOP);
    *steps = 1;
    for (;;)
      pause();
  }
  int status;
  assert(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
  assert(sigwaitinfo(&set, &info) == SIGCHLD && info.si_code == CLD_STOPPED && info.si_pid == child);
  assert(*steps == 0 && waitpid(child, &status, WUNTRACED | WNOHANG) == 0);
  kill(child, SIGCONT);
  assert(waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
  kill(child, SIGTSTP);
  assert(waitid(P_PID, child, &info, WSTOPPED) == 0 && info.si_code == CLD_STOPPED && info.si_status == SIGTSTP);
  kill(child, SIGKILL);
  assert(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  return 0;
}
