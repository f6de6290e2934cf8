/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks while something is computed (order.h).
 */
#include "explore/order.h"

void horizon_clear(struct horizon *h)
{
  h->width = 0;
}

void horizon_join(struct horizon *h, const struct order *o, const struct order_event *f)
{
  const uint32_t *clock = &o->clock[f->clock];
  for (; h->width < f->width; h->width++)
    h->at[h->width] = 0;
  for (unsigned i = 0; i < f->width; i++)
    if (clock[i] > h->at[i])
      h->at[i] = clock[i];
}
