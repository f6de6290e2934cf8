/* SPDX-License-Identifier: Apache-2.0
 *
 * writers N: N threads write their number to one variable. Every order is another class: N!.
 */
#include "together.h"

static atomic_int x;

static void *writer(void *arg)
{
  atomic_store(&x, first(arg));
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 3);

  for (int i = 0; i < n; i++)
    start(writer, i, 0);
  finish();
  printf("x=%d\n", x);
  return 0;
}
