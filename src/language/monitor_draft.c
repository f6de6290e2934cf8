/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables that grow, and the table of what has states already; see monitor_draft.h.
 */
#include "language/monitor_draft.h"
#include <stdlib.h>

void draft_begin(struct monitor_draft *d, uint32_t letters)
{
  *d = (struct monitor_draft){.letters = letters};
}

void draft_free(struct monitor_draft *d)
{
  free(d->edge);
  free(d->category);
  *d = (struct monitor_draft){0};
}

/* Both grow at every power of two. */
static bool make_room(struct monitor_draft *d)
{
  size_t count = d->states;
  if (count & (count - 1))
    return true;
  size_t room = count ? 2 * count : 1;
  uint16_t *edge = realloc(d->edge, room * d->letters * sizeof *edge);
  if (edge)
    d->edge = edge;
  uint16_t *category = realloc(d->category, room * sizeof *category);
  if (category)
    d->category = category;
  return edge && category;
}

uint32_t draft_state(struct monitor_draft *d, uint32_t category)
{
  if (d->states == DRAFT_STATES || !make_room(d))
    return DRAFT_NONE;
  for (uint32_t i = 0; i < d->letters; i++)
    d->edge[(size_t)d->states * d->letters + i] = 0;
  d->category[d->states] = (uint16_t)category;
  return d->states++;
}

bool draft_mark_hopeless(struct monitor_draft *d, uint32_t category, uint32_t hopeless)
{
  bool *hopes = calloc(d->states + 1, sizeof *hopes);
  if (!hopes)
    return false;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t q = 0; q < d->states; q++) {
      bool hope = d->category[q] & category;
      for (uint32_t i = 0; i < d->letters; i++)
        hope |= hopes[d->edge[(size_t)q * d->letters + i]];
      more |= hope && !hopes[q];
      hopes[q] = hope || hopes[q];
    }
  }
  for (uint32_t q = 0; q < d->states; q++)
    d->category[q] |= (uint16_t)(hopes[q] ? 0 : hopeless);
  free(hopes);
  return true;
}

/* Where a state has no arrow for an event, it leads to one more state, which is failure. */
bool draft_from_states(struct monitor_draft *d, const struct spec *s)
{
  for (uint32_t q = 0; q < s->states; q++) {
    uint32_t category = 0;
    for (uint32_t a = 0; a < s->aliases; a++)
      category |= s->in_alias[a][q] ? (uint32_t)CATEGORY_ALIAS << a : 0;
    if (draft_state(d, category) == DRAFT_NONE)
      return false;
  }
  uint32_t fail = draft_state(d, CATEGORY_FAIL);
  if (fail == DRAFT_NONE)
    return false;
  for (size_t i = 0; i < (size_t)d->states * d->letters; i++)
    d->edge[i] = (uint16_t)fail;
  for (uint32_t i = 0; i < s->arrows; i++)
    d->edge[(size_t)s->arrow[i].from * d->letters + s->arrow[i].event] = s->arrow[i].to;
  return true;
}
