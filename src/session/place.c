/* SPDX-License-Identifier: Apache-2.0
 *
 * See place.h.
 */
#include "session/place.h"
#include <stdlib.h>
#include <string.h>

void place_count_above(struct frontier *f, struct place *p, int64_t waiting, int64_t taken)
{
  for (p = p->up; p; p = p->up) {
    p->waiting += (uint32_t)waiting;
    p->taken += (uint32_t)taken;
  }
  f->waiting += (uint64_t)waiting;
  f->taken += (uint64_t)taken;
}

void place_count(struct frontier *f, struct place *p, int64_t waiting, int64_t taken)
{
  p->waiting += (uint32_t)waiting;
  p->taken += (uint32_t)taken;
  place_count_above(f, p, waiting, taken);
}

struct place *place_new(struct frontier *f, struct place *up, const struct unit_step *step, uint32_t state)
{
  struct place *p = calloc(1, sizeof *p);
  struct unit_step *copy = p && step ? malloc(unit_step_bytes(step)) : NULL;
  if (!p || (step && !copy)) {
    free(p);
    f->failed = true;
    return NULL;
  }
  if (step)
    p->step = memcpy(copy, step, unit_step_bytes(step));
  p->state = state;
  p->id = ++f->ids;
  p->up = up;
  if (up && up->last)
    up->last = up->last->next = p;
  else if (up)
    up->first = up->last = p;
  if (state == WAITING)
    place_count(f, p, 1, 0);
  return p;
}

void place_free_children(struct place *top)
{
  struct place *p = top->first;
  while (p) {
    if (p->first) { /* the children come to the front of the list */
      p->last->next = p->next;
      p->next = p->first;
    }
    struct place *next = p->next;
    free(p->step);
    free(p);
    p = next;
  }
  top->first = top->last = NULL;
}

uint32_t place_depth(const struct place *p)
{
  uint32_t n = 0;
  for (; p->up; p = p->up)
    n++;
  return n;
}

struct place **place_way(struct place *to, uint32_t *depth)
{
  *depth = place_depth(to);
  struct place **way = calloc(*depth + 1u, sizeof *way);
  for (uint32_t i = *depth + 1; way && i-- > 0; to = to->up)
    way[i] = to;
  return way;
}
