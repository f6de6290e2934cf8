/* SPDX-License-Identifier: Apache-2.0
 *
 * chain N: thread i loads what thread i - 1 stores. Each of the N - 1 pairs may be either way round: 2^(N-1).
 */
#include "together.h"

static atomic_long x[MOST + 1];

static void *body(void *arg)
{
  int found = (int)atomic_load(&x[first(arg)]);
  atomic_store(&x[first(arg) + 1], 1);
  return result(found);
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2);

  for (int i = 0; i < n; i++)
    start(body, i, 0);
  finish();
  printf("\n");
  return 0;
}
