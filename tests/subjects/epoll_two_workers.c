/* SPDX-License-Identifier: Apache-2.0
 *
 * Two workers wait for one descriptor in one epoll set. Both are told of the one message, and one of them reads for ever.
 * The twin has it told to one of them only (EPOLLONESHOT).
 *
 * verdict: deadlock
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2], set;

static void *works(void *unused)
{
  struct epoll_event event;
  char byte;
  if (epoll_wait(set, &event, 1, 1000) == 1)
    assert(read(ends[0], &byte, 1) == 1);
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  struct epoll_event event = {.events = EPOLLIN};
#ifdef FIXED
  event.events |= EPOLLONESHOT;
#endif
  set = epoll_create1(0);
  assert(pipe(ends) == 0 && epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, works, NULL);
  assert(write(ends[1], "x", 1) == 1);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
