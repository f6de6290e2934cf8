/* SPDX-License-Identifier: Apache-2.0
 *
 * swaps N KIND: N threads, each with one compare-and-swap on one variable; one that fails is a load.
 *   0: all look for 0, one of them finds it: N classes;
 *   1: thread i looks for i and puts i + 1: 2, 5, 14, 43, 144, 523, ...;
 *   2: all look for 1, which another thread puts there: N * 2^(N-1) + 1.
 */
#include "together.h"

static atomic_int x;

static void *swapper(void *arg)
{
  int n = second(arg) >> 8, kind = second(arg) & 255, i = first(arg), sought = kind == 1 ? i : kind == 2;
  atomic_compare_exchange_strong(&x, &sought, kind == 1 ? i + 1 : n + i);
  return NULL;
}

static void *writer(void *unused)
{
  atomic_store(&x, 1);
  return unused;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 3), kind = number(argc, argv, 2, 0);

  for (int i = 0; i < n; i++)
    start(swapper, i, n << 8 | kind);
  if (kind == 2)
    start(writer, 0, 0);
  finish();
  printf("x=%d\n", x);
  return 0;
}
