/* SPDX-License-Identifier: Apache-2.0
 *
 * readers N [KIND]: one thread writes a variable that N threads read. Reads commute, so each reader is before or after
 * the write and nothing else: 2^N classes. KIND 0: an atomic variable, 1: a volatile one (which is a data race).
 */
#include "together.h"

static atomic_int x;
static volatile int plain;

static void *writer(void *arg)
{
  if (second(arg))
    plain = 1;
  else
    atomic_store(&x, 1);
  return NULL;
}

static void *reader(void *arg)
{
  return result(second(arg) ? plain : atomic_load(&x));
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 3), kind = number(argc, argv, 2, 0);

  start(writer, 0, kind);
  for (int i = 0; i < n; i++)
    start(reader, 0, kind);
  finish();
  printf("\n");
  return 0;
}
