/* SPDX-License-Identifier: Apache-2.0
 *
 * awaits KIND N: loops that only wait. How often they look in vain is nobody's business, so an execution is told from
 * another by what was found in the end.
 *   0: N threads wait for a store: 1;
 *   1: thread i waits for thread i - 1: 1;
 *   2: two threads take N turns each: 1;
 *   3: a ring of two places, N items from one thread to another: 3^(N-1), for there are up to two items to be found;
 *   4: N threads count up and wait until all have: N!;
 *   5: N threads wait, each for a variable of its own, and store into a common one: N!;
 *   6: N threads wait for a store, and so does one that stores 2 after it; the N wait for either: 2^N.
 */
#include "together.h"

static atomic_long x[MOST + 1];

static void await(int i, long value)
{
  while (atomic_load(&x[i]) != value)
    ;
}

static void *waiter(void *arg)
{
  int n = first(arg) >> 8, i = first(arg) & 255, kind = second(arg);
  switch (kind) {
  case 1:
    await(i, 1);
    atomic_store(&x[i + 1], 1);
    break;
  case 2:
    for (int turn = 0; turn < n; turn++) {
      await(0, i);
      atomic_store(&x[0], 1 - i);
    }
    break;
  case 4:
    atomic_fetch_add(&x[0], 1);
    await(0, n);
    break;
  case 5:
    await(i + 1, 1);
    atomic_store(&x[0], i);
    break;
  case 6:
    while (atomic_load(&x[0]) == 0)
      ;
    break;
  default:
    await(0, 1);
  }
  return NULL;
}

static void *setter(void *arg)
{
  int n = first(arg), kind = second(arg);
  for (int i = 1; kind == 5 && i <= n; i++)
    atomic_store(&x[i], 1);
  if (kind != 5)
    atomic_store(&x[0], 1);
  return NULL;
}

static void *second_setter(void *unused)
{
  await(0, 1);
  atomic_store(&x[0], 2);
  return unused;
}

/* x[0] items were put, x[1] were taken; two places. */
static void *putter(void *arg)
{
  for (int i = 0; i < first(arg); i++) {
    while (i - atomic_load(&x[1]) == 2)
      ;
    atomic_store(&x[2 + i % 2], i + 1);
    atomic_store(&x[0], i + 1);
  }
  return NULL;
}

static void *taker(void *arg)
{
  int sum = 0;
  for (int i = 0; i < first(arg); i++) {
    while (atomic_load(&x[0]) == i)
      ;
    sum += (int)atomic_load(&x[2 + i % 2]);
    atomic_store(&x[1], i + 1);
  }
  return result(sum);
}

int main(int argc, char **argv)
{
  int kind = number(argc, argv, 1, 0), n = number(argc, argv, 2, 2);

  for (int i = 0; i < (kind == 2 ? 2 : kind == 3 ? 0 : n); i++)
    start(waiter, n << 8 | i, kind);
  if (kind == 3) {
    start(putter, n, 0);
    start(taker, n, 0);
  } else if (kind != 2 && kind != 4)
    start(setter, n, kind);
  if (kind == 6)
    start(second_setter, 0, 0);
  finish();
  printf("x=%ld\n", x[0]);
  return 0;
}
