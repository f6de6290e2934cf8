/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker waits with EPOLLONESHOT, so that nobody else gets the same event, reads what is there, and forgets to ask again: it hears
 * of the second message only if that has come by then. The twin asks again.
 *
 * verdict: deadlock
 * threads: 2
 */
#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int ends[2], got = 0;
  char bytes[4];
  assert(pipe(ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  int set = epoll_create1(0);
  struct epoll_event once = {.events = EPOLLIN | EPOLLONESHOT};
  assert(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &once) == 0);
  if (fork() == 0) {
    assert(write(ends[1], "a", 1) == 1);
    assert(write(ends[1], "b", 1) == 1);
    _exit(0);
  }
  while (got < 2) {
    struct epoll_event event;
    assert(epoll_wait(set, &event, 1, -1) == 1);
    got += (int)read(ends[0], bytes, sizeof bytes);
#ifdef FIXED
    assert(epoll_ctl(set, EPOLL_CTL_MOD, ends[0], &once) == 0);
#endif
  }
  assert(wait(NULL) > 0);
  return 0;
}
