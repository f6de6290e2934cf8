/* SPDX-License-Identifier: Apache-2.0
 *
 * fib K: one thread adds j to i, the other i to j, K times each, with no lock (fib_bench of SV-COMP). The largest
 * possible value is the Fibonacci number 2K + 2.
 */
#include "together.h"

static atomic_int i = 1, j = 1;

static void *add_to_i(void *arg)
{
  for (int n = 0; n < first(arg); n++) {
    int a = atomic_load(&i), b = atomic_load(&j);
    atomic_store(&i, a + b);
  }
  return NULL;
}

static void *add_to_j(void *arg)
{
  for (int n = 0; n < first(arg); n++) {
    int a = atomic_load(&j), b = atomic_load(&i);
    atomic_store(&j, a + b);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  int k = number(argc, argv, 1, 1);

  start(add_to_i, k, 0);
  start(add_to_j, k, 0);
  finish();
  printf("i=%d j=%d\n", i, j);
  return 0;
}
