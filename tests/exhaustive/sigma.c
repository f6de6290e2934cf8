/* SPDX-License-Identifier: Apache-2.0
 *
 * sigma N: main counts an index up and starts a thread each time, which sets the element that the index stands for by
 * then, its own or that of a later thread.
 */
#include "together.h"

static atomic_long element[MOST], index_of_last;

static void *setter(void *unused)
{
  atomic_store(&element[atomic_load(&index_of_last)], 1);
  return unused;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 3);

  for (int i = 0; i < n; i++) {
    atomic_store(&index_of_last, i);
    start(setter, 0, 0);
  }
  finish();
  for (int i = 0; i < n; i++)
    printf("%ld", element[i]);
  printf("\n");
  return 0;
}
