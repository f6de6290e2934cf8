/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread waits in select() for a pipe that main closes: the number may mean nothing by then. The twin says through
 * the pipe that it is to end, and closes it afterwards.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

static int fds[2];

static void *waiter(void *arg)
{
  fd_set in;
  FD_ZERO(&in);
  FD_SET(fds[0], &in);
  assert(select(fds[0] + 1, &in, NULL, NULL, NULL) == 1);
  return arg;
}

int main(void)
{
  pthread_t t;

  assert(pipe(fds) == 0);
  pthread_create(&t, NULL, waiter, NULL);
  assert(write(fds[1], "x", 1) == 1);
#ifdef FIXED
  pthread_join(t, NULL);
  close(fds[0]);
#else
  close(fds[0]);
  pthread_join(t, NULL);
#endif
  close(fds[1]);
  return 0;
}
