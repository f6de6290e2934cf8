/* SPDX-License-Identifier: Apache-2.0
 *
 * By the descriptor of a process a pipe is taken from it, and it is signalled and waited for.
 *
 * verdict: complete
 * options: --time 10s
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int descriptor_of(pid_t id, unsigned flags)
{
  return (int)syscall(SYS_pidfd_open, id, flags);
}

static void signal_and_take(void)
{
  int end[2];
  char byte;
  assert(pipe(end) == 0);
  pid_t child = fork();
  if (!child) {
    assert(write(end[1], "x", 1) == 1);
    pause();
  }
  siginfo_t info;
  int fd = descriptor_of(child, 0);
  close(end[0]); /* the child has it, too */
  int taken = (int)syscall(SYS_pidfd_getfd, fd, end[0], 0);
  assert(taken == end[0] && read(taken, &byte, 1) == 1 && byte == 'x');
  assert(syscall(SYS_pidfd_getfd, fd, 77, 0) == -1 && errno == EBADF);
  assert(syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0);
  assert(waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == 0 && info.si_code == CLD_KILLED && info.si_status == SIGKILL);
  assert(waitid(P_PIDFD, (id_t)taken, &info, WEXITED) == -1 && errno == EBADF);
}

int main(void)
{
  signal_and_take();
  return 0;
}
