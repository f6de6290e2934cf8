/* SPDX-License-Identifier: Apache-2.0
 *
 * increments N K [KIND]: N threads increment a variable K times with a read and a write. (2NK)! / ((2K)!)^N
 * interleavings: 6, 90, 2520 for two, three, four threads that do it once. KIND 0: atomic load and atomic store,
 * 1: a volatile variable (which is a data race), 2: one fetch-and-add instead, whose result is used, so that every
 * order is a class of its own: (NK)! / (K!)^N. 3: relaxed ones without a result, of which nobody sees the order: one
 * class.
 */
#include "together.h"

static atomic_int x;
static volatile int plain;

static void *incrementer(void *arg)
{
  for (int i = 0; i < first(arg); i++) {
    if (second(arg) == 0)
      atomic_store(&x, atomic_load(&x) + 1);
    else if (second(arg) == 1)
      plain = plain + 1;
    else if (second(arg) == 2)
      assert(atomic_fetch_add(&x, 1) >= 0);
    else
      atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), k = number(argc, argv, 2, 1), kind = number(argc, argv, 3, 0);

  for (int i = 0; i < n; i++)
    start(incrementer, k, kind);
  finish();
  printf("x=%d\n", kind == 1 ? plain : x);
  return 0;
}
