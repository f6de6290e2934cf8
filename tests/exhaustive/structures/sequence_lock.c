/* SPDX-License-Identifier: Apache-2.0
 *
 * A sequence lock with several readers: thread 0 changes two values that belong together between two counts, the others
 * read both between two looks at the same even count. BROKEN: the count goes up once, at the end.
 *
 * broken: assertion
 */
#include "harness.h"

static _Alignas(64) atomic_long count;
static _Alignas(64) atomic_long value[2];

static long change(void)
{
#ifndef BROKEN
  atomic_fetch_add(&count, 1);
#endif
  atomic_store(&value[0], 1);
  atomic_store(&value[1], 1);
#ifdef BROKEN
  atomic_fetch_add(&count, 2);
#else
  atomic_fetch_add(&count, 1);
#endif
  return 0;
}

static long work(int me)
{
  long before, left, right;
  if (me == 0)
    return change();
  do {
    while ((before = atomic_load(&count)) & 1)
      ;
    left = atomic_load(&value[0]);
    right = atomic_load(&value[1]);
  } while (atomic_load(&count) != before);
  assert(left == right);
  return left;
}

static void check(void)
{
  assert(atomic_load(&count) == 2);
}

#include "harness_main.h"
