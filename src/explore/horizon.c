/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks while something is computed (order.h).
 */
#include "core/vclock.h"
#include "explore/order.h"

void horizon_clear(struct horizon *h)
{
  h->width = 0;
}

void horizon_join(struct horizon *h, const struct order *o, const struct order_event *f)
{
  const uint32_t *clock = &o->clock[f->clock];
  unsigned both = h->width < f->width ? h->width : f->width;
  clock_raise(h->at, clock, both);
  if (f->width > both) {
    clock_copy(h->at + both, clock + both, f->width - both);
    h->width = f->width;
  }
}
