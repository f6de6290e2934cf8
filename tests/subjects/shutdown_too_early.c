/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread answers on a connection, another one says that no more will be sent. If it says so before the answer is
 * under way, the answer cannot be sent any more. The twin says so when the answer was sent.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int fds[2];

static void *answer(void *arg)
{
  assert(send(fds[0], "x", 1, MSG_NOSIGNAL) == 1);
  return arg;
}

int main(void)
{
  pthread_t t;
  char c;

  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
  pthread_create(&t, NULL, answer, NULL);
#ifdef FIXED
  pthread_join(t, NULL);
#endif
  shutdown(fds[0], SHUT_WR);
#ifndef FIXED
  pthread_join(t, NULL);
#endif
  assert(read(fds[1], &c, 1) == 1 && read(fds[1], &c, 1) == 0);
  close(fds[0]);
  close(fds[1]);
  return 0;
}
