/* SPDX-License-Identifier: Apache-2.0
 *
 * The places of a frontier: what its files share, and nobody else knows. A tree, in which children stand in the order
 * in which they were found.
 */
#ifndef HEDDLE_SESSION_PLACE_H
#define HEDDLE_SESSION_PLACE_H

#include "session/frontier.h"

enum place_state {
  INNER,
  WAITING, /* a leaf that nobody has begun */
  BEYOND,  /* a leaf that is left out for the bound */
  TAKEN,   /* by somebody, with all that is below it: what was known of it then is kept until it is handed in */
  FINISHED
};

struct place {
  struct place *up, *next, *first, *last;
  struct unit_step *step; /* that leads here; NULL for the root */
  uint32_t state;
  uint32_t able;    /* threads that could go on here */
  uint32_t id;      /* grows from place to place */
  uint32_t due;     /* while a tree is read: how many of the children have not come yet */
  uint32_t settled; /* the number of places, when it became known what its step chooses; 0: it always was */
  uint32_t waiting; /* leaves that wait below it, or itself; but for its own, not those below a taken place */
  uint32_t taken;   /* places */
  bool closed;      /* it was taken: all that begins as it does is found below it, and others need not look there */
};

/* A new last child of `up` (NULL: the root). NULL: no memory left, which the frontier notes. */
struct place *place_new(struct frontier *f, struct place *up, const struct unit_step *step, uint32_t state);
/* All below it goes. */
void place_free_children(struct place *top);
/* So many more leaves wait, and so many more places are taken, at a place and below it. */
void place_count(struct frontier *f, struct place *p, int64_t waiting, int64_t taken);
/* The same for those above it. */
void place_count_above(struct frontier *f, struct place *p, int64_t waiting, int64_t taken);

/* The next place in the order parents before children, within the part below top. */
static inline struct place *place_walk(const struct place *top, struct place *p)
{
  if (p->first)
    return p->first;
  while (p != top && !p->next)
    p = p->up;
  return p == top ? NULL : p->next;
}

/* Steps from the root. */
uint32_t place_depth(const struct place *p);

/* The places from the root's child down to this one, and the root before them; NULL: no memory. */
struct place **place_way(struct place *to, uint32_t *depth);

static inline uint32_t place_count_from(const struct place *p)
{
  uint32_t n = 0;
  for (; p; p = p->next)
    n++;
  return n;
}

#endif
