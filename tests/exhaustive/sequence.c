/* SPDX-License-Identifier: Apache-2.0
 *
 * sequence N: N threads write one variable, each is joined before the next one is made. One execution.
 */
#include "together.h"

static atomic_int x;

static void *writer(void *arg)
{
  atomic_store(&x, atomic_load(&x) * 8 + first(arg));
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 3);

  for (int i = 0; i < n; i++) {
    start(writer, i, 0);
    finish();
    together_count = 0;
  }
  printf("x=%d\n", x);
  return 0;
}
