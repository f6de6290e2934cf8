/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread waits with poll() until the timer has expired, and then reads how often. If another one sets the timer anew in between, to
 * never, the count is gone, and the read waits for good. The twin reads without waiting.
 *
 * verdict: deadlock
 * threads: 2
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer;

static void *wait_for_timer(void *unused)
{
  (void)unused;
  uint64_t times;
  struct pollfd set = {.fd = timer, .events = POLLIN};
  if (poll(&set, 1, 10) == 1)
    assert(read(timer, &times, sizeof times) == sizeof times || errno == EAGAIN);
  return NULL;
}

int main(void)
{
  pthread_t thread;
#ifdef FIXED
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
#else
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
#endif
  struct itimerspec soon = {.it_value.tv_nsec = 1000000}, never = {.it_value.tv_nsec = 0};
  timerfd_settime(timer, 0, &soon, NULL);
  pthread_create(&thread, NULL, wait_for_timer, NULL);
  timerfd_settime(timer, 0, &never, NULL);
  pthread_join(thread, NULL);
  close(timer);
  return 0;
}
