/* SPDX-License-Identifier: Apache-2.0
 *
 * N threads set a = 1, then b = -1; one checks that both are set or none is. It must come between the two of the first
 * setter that comes to b: the more setters, the less likely by chance.
 *
 * verdict: assertion
 */
#include "many.h"
#include <stdatomic.h>

static atomic_int a, b;

static void *set(void *unused)
{
  REPAIR_LOCK();
  a = 1;
  b = -1;
  REPAIR_UNLOCK();
  return unused;
}

static void *check(void *unused)
{
  REPAIR_LOCK();
  int first = a, second = b;
  REPAIR_UNLOCK();
  assert((first == 0 && second == 0) || (first == 1 && second == -1));
  return unused;
}

int main(void)
{
  for (int i = 0; i < N; i++)
    start(set, i);
  start(check, 0);
  wait_for_all();
  return 0;
}
