/* SPDX-License-Identifier: Apache-2.0
 *
 * last_zero N: thread i of N sets a[i] = a[i - 1] + 1, and one more thread looks for the zero with the highest index.
 * From the paper on optimal dynamic partial order reduction (Abdulla, Aronis, Jonsson, Sagonas, 2014), where N = 5,
 * 10 and 15 have 64, 3328 and 147456 classes: 2^(N-2) (N+3).
 */
#include "together.h"

static atomic_int a[MOST];

static void *searcher(void *arg)
{
  int i = second(arg);

  while (atomic_load(&a[i]) != 0)
    i--;
  return result(i);
}

static void *setter(void *arg)
{
  int i = second(arg);

  atomic_store(&a[i], atomic_load(&a[i - 1]) + 1);
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 3);

  start(searcher, 0, n);
  for (int i = 1; i <= n; i++)
    start(setter, 0, i);
  finish();
  for (int i = 1; i <= n; i++)
    printf("%d ", a[i]);
  printf("\n");
  return 0;
}
