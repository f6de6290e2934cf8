/* SPDX-License-Identifier: Apache-2.0
 *
 * A signalfd in an epoll set, beside an eventfd that another thread writes.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int event;

static void *sender(void *unused)
{
  (void)unused;
  uint64_t one = 1;
  write(event, &one, sizeof one);
  kill(getpid(), SIGUSR1);
  return NULL;
}

int main(void)
{
  struct epoll_event wanted = {.events = EPOLLIN}, ready;
  struct signalfd_siginfo got;
  pthread_t thread;
  sigset_t set;
  uint64_t count;
  int seen = 0, epoll = epoll_create1(0);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  int fd = signalfd(-1, &set, 0);
  event = eventfd(0, 0);
  wanted.data.fd = fd;
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &wanted);
  wanted.data.fd = event;
  epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted);
  pthread_create(&thread, NULL, sender, NULL);
  while (seen != 3) {
    assert(epoll_wait(epoll, &ready, 1, -1) == 1);
    if (ready.data.fd == fd) {
      assert(read(fd, &got, sizeof got) == sizeof got);
      seen |= 1;
    } else {
      assert(read(event, &count, sizeof count) == sizeof count);
      seen |= 2;
    }
  }
  pthread_join(thread, NULL);
  return 0;
}
