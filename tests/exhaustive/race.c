/* SPDX-License-Identifier: Apache-2.0
 *
 * race M K: one thread stores M times, another loads K times from the same variable: (M + K)! / (M! * K!).
 */
#include "together.h"

static atomic_long x;

static void *writer(void *arg)
{
  for (int i = 0; i < first(arg); i++)
    atomic_store(&x, i + 1);
  return NULL;
}

static void *reader(void *arg)
{
  int found = 0;
  for (int i = 0; i < first(arg); i++)
    found = found * 8 + (int)atomic_load(&x);
  return result(found);
}

int main(int argc, char **argv)
{
  int m = number(argc, argv, 1, 2), k = number(argc, argv, 2, 2);

  start(writer, m, 0);
  start(reader, k, 0);
  finish();
  printf("\n");
  return 0;
}
