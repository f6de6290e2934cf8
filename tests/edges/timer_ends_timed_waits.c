/* SPDX-License-Identifier: Apache-2.0
 *
 * An alarm that comes long before a wait is over ends it: poll, select, epoll_wait, sem_timedwait, sigtimedwait and a read
 * with SO_RCVTIMEO say so, sem_timedwait also with SA_RESTART, where what the handler posts stays. A timerfd that is due
 * before the end of a poll ends it as ready.
 *
 * verdict: quiet
 * expect-text: a timer may expire at more moments than were tried
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static sem_t sem;
static int ends[2], posting;

static void note(int number)
{
  (void)number;
  if (posting)
    sem_post(&sem);
}

static struct timespec in_seconds(int seconds)
{
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_sec += seconds;
  return at;
}

static void handle(int flags)
{
  struct sigaction action = {.sa_handler = note, .sa_flags = flags};
  sigaction(SIGALRM, &action, NULL);
}

static void waits_for_descriptors(void)
{
  struct pollfd one = {.fd = ends[0], .events = POLLIN};
  alarm(1);
  assert(poll(&one, 1, 5000) == -1 && errno == EINTR);

  fd_set set;
  struct timeval limit = {5, 0};
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  alarm(1);
  assert(select(ends[0] + 1, &set, NULL, NULL, &limit) == -1 && errno == EINTR);

  int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  assert(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
  alarm(1);
  assert(epoll_wait(epoll, &event, 1, 5000) == -1 && errno == EINTR);
  close(epoll);

  char byte;
  struct timeval patience = {5, 0};
  assert(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
  alarm(1);
  assert(read(ends[0], &byte, 1) == -1 && errno == EINTR);
  assert(read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
}

static void waits_for_others(void)
{
  struct timespec at = in_seconds(5), limit = {5, 0};
  alarm(1);
  assert(sem_timedwait(&sem, &at) == -1 && errno == EINTR);

  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  sigprocmask(SIG_BLOCK, &wanted, NULL);
  alarm(1);
  assert(sigtimedwait(&wanted, NULL, &limit) == -1 && errno == EINTR);
  assert(sigtimedwait(&wanted, NULL, &limit) == -1 && errno == EAGAIN);

  handle(SA_RESTART);
  posting = 1;
  at = in_seconds(5);
  alarm(1);
  assert(sem_timedwait(&sem, &at) == -1 && errno == EINTR);
  assert(sem_trywait(&sem) == 0);
}

static void timer_as_a_descriptor(void)
{
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec soon = {.it_value = {1, 0}};
  struct pollfd one = {.fd = timer, .events = POLLIN};
  timerfd_settime(timer, 0, &soon, NULL);
  assert(poll(&one, 1, 5000) == 1);
  close(timer);
}

int main(void)
{
  sem_init(&sem, 0, 0);
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  handle(0);
  waits_for_descriptors();
  waits_for_others();
  timer_as_a_descriptor();
  return 0;
}
