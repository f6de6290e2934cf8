/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop over epoll with a ticking timerfd and an eventfd from a worker.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int event;

static void *worker(void *unused)
{
  (void)unused;
  uint64_t one = 1;
  write(event, &one, sizeof one);
  return NULL;
}

int main(void)
{
  struct itimerspec every = {{0, 1000000}, {0, 1000000}};
  struct epoll_event wanted = {.events = EPOLLIN}, ready;
  pthread_t thread;
  uint64_t count, ticks = 0, events = 0;
  int epoll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  event = eventfd(0, 0);
  wanted.data.fd = timer;
  epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &wanted);
  wanted.data.fd = event;
  epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted);
  timerfd_settime(timer, 0, &every, NULL);
  pthread_create(&thread, NULL, worker, NULL);
  while (ticks < 2 || !events) {
    assert(epoll_wait(epoll, &ready, 1, -1) == 1);
    assert(read(ready.data.fd, &count, sizeof count) == sizeof count);
    if (ready.data.fd == timer)
      ticks += count;
    else
      events += count;
  }
  pthread_join(thread, NULL);
  return 0;
}
