/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of an execution, see the header.
 */
#include "strategy/step_trace.h"
#include "core/footprint.h"
#include "core/rng.h"
#include "core/thread_path.h"
#include "core/world.h"

#define WORDS 256 /* by which orders are told apart */

static uint64_t lock_bit(uintptr_t addr)
{
  return UINT64_C(1) << (mix64(addr) & 63);
}

/* ---- an execution ---- */

void step_trace_begin(struct step_trace *t)
{
  t->known = 0;
  t->steps = 0;
}

static void join_clocks(struct step_trace *t, unsigned thread, unsigned other)
{
  for (unsigned i = 0; i < TRACE_THREADS && other < TRACE_THREADS; i++)
    if (t->clock[other][i] > t->clock[thread][i])
      t->clock[thread][i] = t->clock[other][i];
}

static void meet_thread(struct step_trace *t, const struct choice *c, unsigned thread)
{
  t->path[thread] = thread_path(c->info, thread);
  if (thread >= TRACE_THREADS)
    return;
  t->locks[thread] = 0;
  t->waiting[thread] = false;
  for (unsigned i = 0; i < TRACE_THREADS; i++)
    t->clock[thread][i] = 0;
  if (thread)
    join_clocks(t, thread, c->info[thread].parent);
}

/* Who can go on now and could not before has waited for the last step; but a lock could have come to it first. */
void step_trace_settle(struct step_trace *t, const struct choice *c)
{
  for (; t->known < c->threads; t->known++)
    meet_thread(t, c, t->known);
  for (unsigned i = 0; i < c->threads && i < TRACE_THREADS; i++) {
    if (!c->thread[i].alive)
      continue;
    bool waits = !threadset_has(c->enabled, i);
    if (!waits && t->waiting[i] && t->steps && !op_takes_lock((enum op_kind)c->thread[i].pending.kind))
      join_clocks(t, i, t->step[t->steps - 1].thread);
    t->waiting[i] = waits;
  }
}

/* The place has accesses of memory and other steps, which of them depends on what is known to be shared: each are
 * counted for themselves. */
static uint32_t nth_of(const struct step_trace *t, unsigned thread, uint64_t place, enum op_kind kind)
{
  uint32_t nth = 1;
  for (uint32_t i = 0; i < t->steps; i++) {
    const struct traced_step *s = &t->step[i];
    nth +=
        s->thread == thread && s->event.place == place && op_is_memory((enum op_kind)s->op.kind) == op_is_memory(kind);
  }
  return nth;
}

bool step_trace_is_at(const struct step_trace *t, const struct choice *c, unsigned thread,
                      const struct abstract_event *event, uintptr_t pc)
{
  const struct operation *op = &c->thread[thread].pending;
  enum op_kind kind = (enum op_kind)op->kind;
  return op->pc == pc && t->path[thread] == event->thread &&
         op_is_memory(kind) == op_is_memory((enum op_kind)event->kind) &&
         nth_of(t, thread, event->place, kind) == event->nth;
}

static void follow_locks(struct step_trace *t, const struct operation *op, unsigned thread)
{
  enum op_kind kind = (enum op_kind)op->kind;
  if (op_takes_lock(kind) && op_table[kind].blocks)
    t->locks[thread] |= lock_bit(op->addr);
  else if (kind == OP_COND_WAKE || kind == OP_COND_TIMEDWAKE)
    t->locks[thread] |= lock_bit(op->arg);
  else if (kind == OP_COND_WAIT)
    t->locks[thread] &= ~lock_bit(op->arg);
  else if (op_leaves_lock(kind))
    t->locks[thread] &= ~lock_bit(op->addr);
}

void step_trace_step(struct step_trace *t, const struct choice *c, unsigned thread)
{
  const struct operation *op = &c->thread[thread].pending;
  if (thread >= TRACE_THREADS || t->steps == TRACE_STEPS)
    return;
  if (op->kind == OP_JOIN && op->arg < TRACE_THREADS)
    join_clocks(t, thread, (unsigned)op->arg);
  t->clock[thread][thread]++;
  uint64_t place = c->world->name(c->world->self, op->pc);
  struct abstract_event event = {.place = place,
                                 .thread = t->path[thread],
                                 .nth = nth_of(t, thread, place, (enum op_kind)op->kind),
                                 .kind = op->kind};
  struct traced_step *s = &t->step[t->steps++];
  *s = (struct traced_step){.op = *op, .event = event, .thread = thread, .locks = t->locks[thread]};
  for (unsigned i = 0; i < TRACE_THREADS; i++)
    s->after[i] = t->clock[thread][i];
  follow_locks(t, op, thread);
}

/* ---- two steps ---- */

static enum bond bond_of_footprints(const struct footprint *a, const struct footprint *b)
{
  if (!footprints_overlap(a, b))
    return BOND_NONE;
  return a->key & KEY_SYSTEM ? BOND_COARSE : BOND_NEAR;
}

static enum bond closest(const struct operation *a, const struct operation *b)
{
  struct footprint of_a[FOOTPRINTS_MOST], of_b[FOOTPRINTS_MOST];
  unsigned m = op_footprints(a, of_a), n = op_footprints(b, of_b);
  enum bond best = BOND_NONE;
  for (unsigned i = 0; i < m; i++)
    for (unsigned j = 0; j < n; j++) {
      enum bond bond = bond_of_footprints(&of_a[i], &of_b[j]);
      best = bond > best ? bond : best;
    }
  return best;
}

enum bond steps_bond(const struct traced_step *a, const struct traced_step *b)
{
  if (!op_steps_dependent(a->thread, &a->op, b->thread, &b->op))
    return BOND_NONE;
  enum bond bond = closest(&a->op, &b->op);
  return bond > BOND_NONE ? bond : BOND_FAR;
}

bool step_is_after(const struct traced_step *earlier, const struct traced_step *later)
{
  return later->after[earlier->thread] >= earlier->after[earlier->thread];
}

bool step_is_movable(const struct traced_step *s)
{
  return !op_leaves_lock((enum op_kind)s->op.kind) && s->op.kind != OP_EXIT && s->op.kind != OP_JOIN;
}

bool step_takes_one_of(const struct traced_step *s, uint64_t locks)
{
  return op_takes_lock((enum op_kind)s->op.kind) && locks & lock_bit(s->op.addr);
}

/* ---- all of them ---- */

bool step_trace_met_before(const struct step_trace *t, uint32_t step)
{
  const struct traced_step *s = &t->step[step];
  for (uint32_t i = 0; i < step; i++)
    if (t->step[i].thread == s->thread && closest(&t->step[i].op, &s->op) != BOND_NONE)
      return true;
  return false;
}

uint64_t abstract_event_number(const struct abstract_event *e)
{
  return mix64(e->place ^ mix64(e->thread + e->nth));
}

uint64_t step_trace_signature(const struct step_trace *t)
{
  uint64_t last[WORDS] = {0}, sum = 1;
  for (uint32_t i = 0; i < t->steps; i++) {
    const struct operation *op = &t->step[i].op;
    uint64_t number = abstract_event_number(&t->step[i].event), *before = &last[mix64(op->addr & ~UINT64_C(7)) % WORDS];
    sum += mix64(number + *before);
    if (!op_is_memory((enum op_kind)op->kind) || op_writes_memory((enum op_kind)op->kind))
      *before = mix64(*before + number);
  }
  return sum;
}
