/* SPDX-License-Identifier: Apache-2.0
 *
 * Shop: a customer sees an item on the shelf and takes it; when it was the last one, another has taken it in between.
 */
#include "harness.h"

#ifndef STOCK
#define STOCK 100
#endif

static atomic_int stock;

static void make(void)
{
  stock = STOCK;
}

static void buy(unsigned a, unsigned b)
{
  (void)a, (void)b;
  int seen = stock;
#ifdef FIXED
  while (seen > 0 && !atomic_compare_exchange_strong(&stock, &seen, seen - 1))
    ;
#else
  if (seen > 0)
    assert(atomic_fetch_sub(&stock, 1) > 0);
#endif
}

static void browse(unsigned a, unsigned b)
{
  (void)a, (void)b;
  (void)stock;
}

static void check(void)
{
  assert(stock >= 0);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(buy), HD_OPERATION(browse))
