/* SPDX-License-Identifier: Apache-2.0
 *
 * See rounds.h.
 */
#include "explore/rounds.h"
#include "core/key.h"

bool look_ahead(const struct world *w, unsigned thread, const struct operation *op, struct vain_look *out)
{
  if (!look_from(out, thread, op, w->local(w->self, thread)) || (w->is_known && !w->is_known(w->self, out->key)))
    return false;
  out->sees = w->state(w->self, op, out->key) & order_part(out->bytes);
  return true;
}

enum look_verdict judge_next_look(const struct vain *v, const struct order *o, const struct choice *c, unsigned t)
{
  const struct operation *op = &c->thread[t].pending;
  struct vain_look look;
  if (!vain_knows_place(v, op->pc) || order_interrupted(o, t, op) || !look_ahead(c->world, t, op, &look) ||
      (key_is_object(look.key) && (look.sees || order_holds(o, t, look.key, o->events))))
    return OF_USE;
  return vain_judge(v, o, o->last[t], &look);
}

bool would_look_in_vain(const struct vain *v, const struct order *o, const struct choice *c, unsigned t)
{
  return judge_next_look(v, o, c, t) == IN_VAIN;
}

static bool goes_round_by(const struct operation *op)
{
  return op->kind == OP_YIELD || op->kind == OP_FENCE || op->kind == OP_TESTCANCEL || op->kind == OP_EVENT;
}

/* It looked, and changed what it looked at. */
static bool has_changed(const struct rounds *r, const struct choice *c)
{
  const struct vain_look *last = &r->last;
  const struct world *w = c->world;
  const struct operation *op = &c->thread[r->current].pending;
  return r->stood && last->stands && (w->state(w->self, op, last->key) & order_part(last->bytes)) != last->sees;
}

unsigned rounds_next(struct rounds *r, const struct choice *c)
{
  unsigned t;
  bool changed = has_changed(r, c);
  while ((t = threadset_next(&r->unsettled, 0)) < MAX_THREADS) {
    const struct operation *op = &c->thread[t].pending;
    struct vain_look look;
    bool looks = look_ahead(c->world, t, op, &look) && !(key_is_object(look.key) && look.sees);
    if (changed || !threadset_has(c->enabled, t) || !(looks || goes_round_by(op)))
      return PICK_BLOCKED;
    uint64_t here = stands_at(t, op, c->world->local(c->world->self, t));
    bool stays = !here || r->stood == ROUNDS_STOOD;
    for (uint32_t i = 0; i < r->stood; i++)
      stays |= r->stood_at[i] == here;
    if (!stays) {
      r->last = look;
      r->last.stands = looks;
      r->stood_at[r->stood++] = here;
      r->current = t;
      return t;
    }
    threadset_remove(&r->unsettled, t);
    r->stood = 0;
  }
  return MAX_THREADS;
}
