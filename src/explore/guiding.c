/* SPDX-License-Identifier: Apache-2.0
 *
 * The guide: the witness that an execution follows from where it leaves the branch before it; see explorer.h. What else
 * was found for the nodes on its way waits in the same tree, and is spread over them when the execution has ended.
 */
#include "explore/explorer.h"

static bool performed_already(const struct order *o, const struct witness *w)
{
  uint32_t last = o->last[w->thread];
  return last && o->event[last - 1].nth >= w->nth;
}

/* The step of the guide that comes after this one. */
static uint32_t next_of(struct explorer *x, uint32_t w)
{
  struct witnesses *then = &witness_at(x, w)->then;
  return x->reducing ? then->first : explorer_bring_forward(x, then);
}

/* Without reduction all steps of the guide came before, but for the last one. */
void explorer_find_new(struct explorer *x)
{
  x->new_event = x->fixed;
  x->new_choice = 0;
  for (uint32_t w = x->reducing ? 0 : x->guide; w; w = next_of(x, w)) {
    x->new_event += witness_at(x, w)->then.first ? 1 : 0;
    x->new_choice = witness_at(x, w)->choices;
  }
}

/* The thread the guide names, if it can go on; on the way into a unit, whether it can or not. */
unsigned explorer_guided(struct explorer *x, const struct threadset *set)
{
  if (x->guided)
    x->guide_at = next_of(x, x->guide_at);
  while (x->guide_at && performed_already(&x->order, witness_at(x, x->guide_at)))
    x->guide_at = next_of(x, x->guide_at);
  if (!x->guide_at)
    return MAX_THREADS;
  unsigned t = witness_at(x, x->guide_at)->thread;
  if (threadset_has(set, t) || x->position < x->given || (!x->reducing && x->await[t].in_vain))
    return t;
  x->guide_at = 0;
  return MAX_THREADS;
}

/* What a call on channels touches is known only when it is announced, and may be more or less after other steps. */
bool explorer_same_step(const struct operation *a, const struct operation *b)
{
  return op_announced_kind(a) == op_announced_kind(b) && (a->addr == b->addr || op_is_on_channels(a->kind)) &&
         a->pc == b->pc;
}

/* On the way into a unit every step is told: one that is not as it was does not lead there. */
bool explorer_strays(struct explorer *x, const struct choice *c, const struct threadset *set, unsigned t)
{
  return x->position < x->given && (t >= MAX_THREADS || !threadset_has(set, t) ||
                                    !explorer_same_step(&c->thread[t].pending, &witness_at(x, x->guide_at)->op));
}

/* A step there was only supposed to be possible (reversal.c), as all are where tasks are held back, and turns out not
 * to be. */
bool explorer_turns_out_impossible(struct explorer *x, const struct choice *c, unsigned t)
{
  return x->position < x->given && t < MAX_THREADS && !threadset_has(c->enabled, t) &&
         (witness_at(x, x->guide_at)->supposed || c->holding) &&
         explorer_same_step(&c->thread[t].pending, &witness_at(x, x->guide_at)->op);
}

/* The program ended in a step that is taken at once. */
bool explorer_ended_at_once(const struct explorer *x)
{
  const struct order_event *last = x->order.events ? &x->order.event[x->order.events - 1] : NULL;
  return last && last->final && event_at_once(x, last);
}

/* The step of the guide as it came, + 1; 0: it did not. Steps that are taken at once may have come before their turn,
 * even before the node where the guide begins. */
static uint32_t event_of_guide(const struct explorer *x, const struct witness *w)
{
  const struct order *o = &x->order;
  uint32_t e = o->last[w->thread];
  while (e && o->event[e - 1].nth > w->nth) {
    uint32_t jump = o->event[e - 1].jump;
    e = jump && o->event[jump - 1].nth >= w->nth ? jump : o->event[e - 1].previous;
  }
  return e && o->event[e - 1].nth == w->nth ? e : 0;
}

/* What was left beside the guide waits at a node; but the steps of it that came by then, since they are taken at once,
 * need not come again. */
static void wait_at(struct explorer *x, uint32_t node, struct witnesses *list)
{
  for (uint32_t w; (w = witness_take(x, list));) {
    uint32_t came = event_of_guide(x, witness_at(x, w));
    const struct order_event *e = came ? &x->order.event[came - 1] : NULL;
    if (!e || came > node + 1 || event_outcome(&x->order, e, e->choices) != witness_at(x, w)->outcome) {
      explorer_sort_in(x, node, w);
      continue;
    }
    struct witnesses then = witness_at(x, w)->then;
    witness_free(x, w);
    if (came <= node || came < x->order.events)
      wait_at(x, came > node ? came : node, &then);
    else
      witness_free_all(x, &then);
  }
}

/* The guide was followed, as far as it went: what else may follow its steps waits at the nodes where it went on with
 * the next one. If the program ended before that, in a step of another thread, all that is left of it waits before that
 * one. */
void explorer_dissolve_guide(struct explorer *x)
{
  uint32_t w = x->guide, node = x->fixed;
  struct witnesses rest = {0};
  x->guide = 0;
  while (w) {
    uint32_t came = event_of_guide(x, witness_at(x, w));
    if (!came)
      break;
    if (came > node)
      node = came - 1;
    wait_at(x, node, &rest);
    rest = witness_at(x, w)->then;
    witness_free(x, w);
    w = witness_take(x, &rest);
    node = came > node ? came : node;
  }
  if (!w)
    return;
  struct witnesses left = {w, w};
  witness_at(x, w)->next = 0;
  uint32_t end = x->order.events;
  if (end > x->fixed + 1 && explorer_ended_at_once(x))
    wait_at(x, node = end - 1, &left);
  else
    witness_free_all(x, &left);
  wait_at(x, node, &rest);
}
