/* SPDX-License-Identifier: Apache-2.0
 *
 * pipes N P: N threads write a byte each, to P pipes in turn. Writes to different pipes commute, so a class is an order
 * of the writes to each: the product of the factorials of their numbers. That is also what comes out of the pipes.
 */
#include "together.h"
#include <unistd.h>

static void *writer(void *arg)
{
  char c = (char)('0' + first(arg));
  return (void *)(intptr_t)(write(second(arg), &c, 1) == 1);
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), p = number(argc, argv, 2, 1), fds[MOST][2];
  char all[MOST + 1] = "";

  for (int i = 0; i < p; i++)
    assert(pipe(fds[i]) == 0);
  for (int i = 0; i < n; i++)
    start(writer, i, fds[i % p][1]);
  finish();
  for (int i = 0; i < p && i < n; i++) {
    ssize_t bytes = read(fds[i][0], all, MOST);
    assert(bytes > 0);
    printf("%.*s ", (int)bytes, all);
  }
  printf("\n");
  return 0;
}
