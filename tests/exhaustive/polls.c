/* SPDX-License-Identifier: Apache-2.0
 *
 * polls N R: N threads write to a pipe each, R threads wait until one of the N is ready. With one that waits, a class is the
 * set of pipes that are ready then, which cannot be empty: 2^N - 1. Those that wait commute with each other, but what they
 * see must be sets of which one contains the other.
 */
#include "together.h"
#include <poll.h>
#include <unistd.h>

static void *writer(void *arg)
{
  return (void *)(intptr_t)(write(second(arg), "x", 1) == 1);
}

static void *waiter(void *arg)
{
  struct pollfd set[MOST];
  int n = first(arg), seen = 0;
  for (int i = 0; i < n; i++)
    set[i] = (struct pollfd){.fd = second(arg) + 2 * i, .events = POLLIN};
  assert(poll(set, (nfds_t)n, -1) > 0);
  for (int i = 0; i < n; i++)
    seen |= (set[i].revents != 0) << i;
  return (void *)(intptr_t)seen;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), r = number(argc, argv, 2, 1), fds[MOST][2];

  for (int i = 0; i < n; i++)
    assert(pipe(fds[i]) == 0);
  for (int i = 0; i < n; i++)
    start(writer, i, fds[i][1]);
  for (int i = 0; i < r; i++)
    start(waiter, n, fds[0][0]);
  finish();
  printf("\n");
  return 0;
}
