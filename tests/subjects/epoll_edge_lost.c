/* SPDX-License-Identifier: Apache-2.0
 *
 * With EPOLLET one is told when something comes, not while something is there. The consumer reads one message each
 * time it is told; if two come before it looks, it is told once, and waits for the second for ever. The twin reads
 * until there is nothing left.
 *
 * verdict: deadlock
 * threads: 2
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int fds[2];

static void *producer(void *arg)
{
  for (int i = 0; i < 2; i++)
    assert(write(fds[1], "x", 1) == 1);
  return arg;
}

int main(void)
{
  pthread_t t;
  char c;
  struct epoll_event event = {.events = EPOLLIN | EPOLLET};

  assert(pipe2(fds, O_NONBLOCK) == 0);
  int set = epoll_create1(0);
  assert(epoll_ctl(set, EPOLL_CTL_ADD, fds[0], &event) == 0);
  pthread_create(&t, NULL, producer, NULL);
  for (int got = 0; got < 2;) {
    assert(epoll_wait(set, &event, 1, -1) == 1);
#ifdef FIXED
    while (read(fds[0], &c, 1) == 1)
      got++;
#else
    got += read(fds[0], &c, 1) == 1;
#endif
  }
  pthread_join(t, NULL);
  close(set);
  close(fds[0]);
  close(fds[1]);
  return 0;
}
