/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors of processes: ready when the process has ended, by poll() and by epoll, and waited for.
 *
 * verdict: complete
 * options: --time 10s
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

int main(void)
{
  assert(descriptor_of(-1, 0) == -1 && errno == EINVAL);
  poll_and_wait();
  return 0;
}
