/* SPDX-License-Identifier: Apache-2.0
 *
 * ring N KIND: N threads and as many variables in a ring.
 *   0: thread i stores into its own and loads its neighbour's: all but one thread may find a 0;
 *   1: thread i loads its own and stores into its neighbour's: all but one thread may find a 1.
 * Of the N pairs of a load and a store each may be either way round, but not all of them against the ring: 2^N - 1.
 */
#include "together.h"

static atomic_long x[MOST];

static void *body(void *arg)
{
  int i = first(arg), next = (i + 1) % (second(arg) >> 1);
  if (second(arg) & 1) {
    int found = (int)atomic_load(&x[i]);
    atomic_store(&x[next], 1);
    return result(found);
  }
  atomic_store(&x[i], 1);
  return result((int)atomic_load(&x[next]));
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), kind = number(argc, argv, 2, 0);

  for (int i = 0; i < n; i++)
    start(body, i, n << 1 | kind);
  finish();
  printf("\n");
  return 0;
}
