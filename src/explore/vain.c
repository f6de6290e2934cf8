/* SPDX-License-Identifier: Apache-2.0
 *
 * See vain.h.
 */
#include "explore/vain.h"
#include "core/key.h"
#include "core/rng.h"

#define LOOK_BACK 64 /* events of the thread */

uint64_t stands_at(unsigned thread, const struct operation *op, uint64_t local)
{
  if (!local)
    return 0;
  uint64_t h = mix64(local ^ mix64((uint64_t)thread << 32 ^ (uint64_t)op_announced_kind(op) << 8 ^ op->space));
  return mix64(mix64(h ^ op->pc) ^ op->addr) | 1;
}

/* ---- looks ---- */

bool look_from(struct vain_look *out, unsigned thread, const struct operation *op, uint64_t local)
{
  if (op->traits & (OP_SIGNALLED | OP_CANCELLED | OP_FAR))
    return false;
  switch (op->kind) {
  case OP_READ:
  case OP_ATOMIC_LOAD:
  case OP_ATOMIC_RMW:
    if ((op->addr & 7) + op->length > 8)
      return false;
    out->key = key_in_space(op->space, op->addr & ~UINT64_C(7));
    out->bytes = (uint8_t)op_bytes_in(op, op->addr & ~UINT64_C(7));
    break;
  case OP_MUTEX_TRYLOCK:
  case OP_SPIN_TRYLOCK:
  case OP_SEM_TRYWAIT:
    out->key = key_of_object(op_table[op->kind].object, op->space, op->addr);
    out->bytes = UINT8_MAX;
    break;
  default:
    return false;
  }
  out->stands = stands_at(thread, op, local);
  out->pc = op->pc;
  return out->stands != 0;
}

bool look_of_event(struct vain_look *out, const struct order *o, const struct order_event *e)
{
  if (e->choices || e->final || e->creates || !e->links || !look_from(out, e->thread, &e->op, e->local))
    return false;
  const struct link *link = &o->link[e->link];
  out->sees = link->before & order_part(out->bytes);
  return link->key == out->key && !((link->before ^ link->after) & order_part(out->bytes)) &&
         !(key_is_object(link->key) && order_holds(o, e->thread, link->key, (uint32_t)(e - o->event)));
}

/* ---- where they lead ---- */

bool vain_knows_place(const struct vain *v, uintptr_t pc)
{
  for (uint32_t i = 0; i < v->places; i++)
    if (v->place[i] == pc)
      return true;
  return false;
}

bool vain_add_place(struct vain *v, uintptr_t pc)
{
  if (v->places == LESSON_PLACES || vain_knows_place(v, pc))
    return false;
  v->place[v->places++] = pc;
  return true;
}

static void forget(struct vain *v)
{
  for (uint32_t i = 0; i < 1u << VAIN_BITS; i++)
    v->landing[i].look = 0;
  v->landings = 0;
}

static uint64_t number_of(const struct vain_look *look)
{
  return mix64(look->stands ^ mix64(look->sees)) | 1;
}

static uint32_t landing_slot(const struct vain *v, uint64_t look)
{
  uint32_t at = (uint32_t)(look >> (64 - VAIN_BITS));
  while (v->landing[at].look && v->landing[at].look != look)
    at = (at + 1) & ((1u << VAIN_BITS) - 1);
  return at;
}

void vain_remember(struct vain *v, const struct vain_look *look, uint64_t leads_to)
{
  if (v->landings >= (1u << VAIN_BITS) / 4 * 3)
    forget(v);
  uint32_t at = landing_slot(v, number_of(look));
  v->landings += !v->landing[at].look;
  v->landing[at].look = number_of(look);
  v->landing[at].leads_to = leads_to;
}

bool look_returns(const struct order *o, uint32_t last, const struct vain_look *look, uint64_t leads_to)
{
  if (leads_to == look->stands)
    return true;
  for (unsigned n = 0; last && n < LOOK_BACK; n++) {
    const struct order_event *e = &o->event[last - 1];
    struct vain_look before;
    if (!look_of_event(&before, o, e) && (!e->hidden || e->links))
      return false;
    if (e->links && before.stands == leads_to)
      return true;
    last = e->previous;
  }
  return false;
}

enum look_verdict vain_judge(const struct vain *v, const struct order *o, uint32_t last, const struct vain_look *look)
{
  if (!vain_knows_place(v, look->pc))
    return OF_USE;
  uint32_t at = landing_slot(v, number_of(look));
  if (!v->landing[at].look)
    return IN_DOUBT;
  return look_returns(o, last, look, v->landing[at].leads_to) ? IN_VAIN : OF_USE;
}
