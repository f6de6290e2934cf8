/* SPDX-License-Identifier: Apache-2.0
 *
 * tallies N R [KIND]: N threads update a variable and do not look at what it was, R threads read it. Each reader sees a
 * set of updates, in whatever order they came: 2^N classes for one reader. KIND 0: they add, 1: they set a bit each and
 * all of them another one, 2: every other one turns a bit round and the rest subtract; those are of two kinds, whose
 * order shows.
 */
#include "together.h"

static atomic_uint x;

static void *updater(void *arg)
{
  unsigned i = (unsigned)first(arg), bit = 16u << i;
  if (second(arg) == 0)
    atomic_fetch_add_explicit(&x, bit, memory_order_relaxed);
  else if (second(arg) == 1)
    atomic_fetch_or_explicit(&x, bit | 1, memory_order_relaxed);
  else if (i % 2)
    atomic_fetch_xor_explicit(&x, bit, memory_order_relaxed);
  else
    atomic_fetch_sub_explicit(&x, bit, memory_order_relaxed);
  return NULL;
}

static void *reader(void *unused)
{
  (void)unused;
  return result((long)atomic_load_explicit(&x, memory_order_relaxed));
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), r = number(argc, argv, 2, 1), kind = number(argc, argv, 3, 0);

  for (int i = 0; i < n; i++)
    start(updater, i, kind);
  for (int i = 0; i < r; i++)
    start(reader, 0, 0);
  finish();
  printf("x=%u\n", x);
  return 0;
}
