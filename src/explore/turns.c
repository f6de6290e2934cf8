/* SPDX-License-Identifier: Apache-2.0
 *
 * What it costs if another thread goes on than the one that would: preemptions or delays under a bound, and with a
 * change of the program how often that puts it off; and which one that may be; see explorer.h.
 */
#include "explore/explorer.h"

/* Not to let it go on costs something. Who may be about to wait, which is not known yet, is taken to wait by those who
 * rely on what that costs elsewhere (widening.c). */
static bool counts(const struct explorer *x, unsigned thread)
{
  return !x->widening || !x->await[thread].in_doubt;
}

/* Who is to be tried now at the node, if the program was changed. Where nobody can be preempted, all are. */
void explorer_find_kept(struct explorer *x, const struct choice *c, const struct threadset *set)
{
  unsigned first = explorer_by_itself(x, c, set);
  bool preempts = first == x->current && !explorer_hurries(x, c, first);
  x->kept = preempts ? changed_keeps(&x->changed, c, set, first) : *set;
}

/* What the step of a thread costs under the bound. */
static uint32_t bound_cost(const struct explorer *x, const struct choice *c, const struct threadset *set,
                           unsigned thread)
{
  unsigned first = explorer_by_itself(x, c, set);
  uint32_t cost = 0;
  if (explorer_hurries(x, c, first))
    return 0;
  if (x->bound == BOUND_DELAYS)
    for (unsigned t = first; t != thread; t = explorer_next_after(set, t))
      cost += counts(x, t);
  if (x->bound == BOUND_PREEMPTIONS)
    cost = thread != first && first == x->current && counts(x, first);
  return cost;
}

uint32_t explorer_cost(const struct explorer *x, const struct choice *c, const struct threadset *set, unsigned thread)
{
  bool put_off = x->changed.map && !x->reducing && !threadset_has(&x->kept, thread);
  return (x->bound ? bound_cost(x, c, set, thread) : 0) + (put_off ? COST_PUT_OFF : 0);
}

/* Breadth first: another one than the last, if that is within the bound. */
unsigned explorer_another(const struct explorer *x, const struct choice *c, const struct threadset *set, unsigned t)
{
  unsigned next = explorer_next_after(set, x->current);
  return explorer_affords(x, x->node[x->position].cost + explorer_cost(x, c, set, next)) ? next : t;
}

/* With a change: one of those who are to be tried now, the running thread if it is one, unless that is beyond the
 * bound, or the change is not gone by in this unit. Reduction within a bound begins with the step that costs nothing
 * there (widening.c). */
unsigned explorer_by_change(const struct explorer *x, const struct choice *c, const struct threadset *set,
                            const struct threadset *awake, unsigned t)
{
  struct threadset kept = threadset_common(&x->kept, awake);
  if (x->widening || x->put_off == PUT_OFF_ANY || threadset_empty(&kept) || threadset_has(&kept, t))
    return t;
  unsigned next = threadset_next(&kept, 0);
  return explorer_affords(x, x->node[x->position].cost + explorer_cost(x, c, set, next)) ? next : t;
}
