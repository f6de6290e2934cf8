/* SPDX-License-Identifier: Apache-2.0
 *
 * matrix R V: V threads store into a variable each, R threads load all of them from the first to the last. No load can
 * be forced by another one, for nothing leads from a variable to one before it: 2^(R*V).
 */
#include "together.h"

static atomic_long x[MOST];

static void *writer(void *arg)
{
  atomic_store(&x[first(arg)], 1);
  return NULL;
}

static void *reader(void *arg)
{
  int found = 0;
  for (int i = 0; i < first(arg); i++)
    found = found * 2 + (int)atomic_load(&x[i]);
  return result(found);
}

int main(int argc, char **argv)
{
  int r = number(argc, argv, 1, 2), v = number(argc, argv, 2, 2);

  for (int i = 0; i < v; i++)
    start(writer, i, 0);
  for (int i = 0; i < r; i++)
    start(reader, v, 0);
  finish();
  printf("\n");
  return 0;
}
