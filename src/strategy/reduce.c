/* SPDX-License-Identifier: Apache-2.0
 *
 * Delta debugging, see the header.
 */
#include "strategy/reduce.h"

void reduce_open(struct reduction *r, uint32_t factors)
{
  *r = (struct reduction){.range = {0, factors}};
}

static uint32_t middle(const struct reduction *r)
{
  return r->range.from + (r->range.to - r->range.from) / 2;
}

bool reduce_next(struct reduction *r, struct reduce_range *without)
{
  while (r->range.to - r->range.from < 2) {
    if (!r->waiting_count)
      return false;
    r->range = r->waiting[--r->waiting_count];
  }
  *without =
      r->second ? (struct reduce_range){r->range.from, middle(r)} : (struct reduce_range){middle(r), r->range.to};
  return true;
}

void reduce_tell(struct reduction *r, bool fails)
{
  struct reduce_range first = {r->range.from, middle(r)}, second = {middle(r), r->range.to};
  if (!fails && !r->second) {
    r->second = true;
    return;
  }
  if (fails && r->second) {
    r->range = second;
  } else {
    if (!fails)
      r->waiting[r->waiting_count++] = second;
    r->range = first;
  }
  r->second = false;
}
