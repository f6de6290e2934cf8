/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors of processes: ready when the process has ended, by poll() and by epoll; waited for, signalled, and a pipe
 * taken from one.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int descriptor_of(pid_t id, unsigned flags)
{
  return (int)syscall(SYS_pidfd_open, id, flags);
}

static void poll_and_wait(void)
{
  pid_t child = fork();
  if (!child)
    _exit(7);
  siginfo_t info;
  int fd = descriptor_of(child, 0), set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = 5}, ready = {0};
  assert(fd == 3 && epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0);
  assert(epoll_wait(set, &ready, 1, -1) == 1 && ready.data.u32 == 5);
  struct pollfd one = {.fd = fd, .events = POLLIN};
  assert(poll(&one, 1, -1) == 1 && one.revents == POLLIN);
  assert(waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == 0 && info.si_pid == child && info.si_status == 7);
  assert(waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == -1 && errno == ECHILD);
  assert(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == -1 && errno == ESRCH);
  assert(descriptor_of(child, 0) == -1 && errno == ESRCH);
  assert(close(fd) == 0 && close(set) == 0);
}

static void signal_and_take(void)
{
  int end[2];
  char byte;
  assert(pipe(end) == 0);
  pid_t child = fork();
  if (!child) {
    int own[2];
    assert(pipe(own) == 0 && own[0] == 5 && write(own[1], "x", 1) == 1 && write(end[1], "y", 1) == 1);
    pause();
  }
  siginfo_t info;
  int fd = descriptor_of(child, 0);
  assert(read(end[0], &byte, 1) == 1); /* it has its own pipe */
  int taken = (int)syscall(SYS_pidfd_getfd, fd, 5, 0);
  assert(taken >= 0 && read(taken, &byte, 1) == 1 && byte == 'x');
  assert(syscall(SYS_pidfd_getfd, fd, 77, 0) == -1 && errno == EBADF);
  assert(syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0);
  assert(waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == 0 && info.si_code == CLD_KILLED && info.si_status == SIGKILL);
  assert(waitid(P_PIDFD, (id_t)taken, &info, WEXITED) == -1 && errno == EBADF);
}

int main(void)
{
  assert(descriptor_of(-1, 0) == -1 && errno == EINVAL);
  poll_and_wait();
  signal_and_take();
  return 0;
}
