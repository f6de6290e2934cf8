/* SPDX-License-Identifier: Apache-2.0
 *
 * Data races by pending accesses: a thread accesses memory while another one stands right before an access of the same
 * byte, at least one of the two a write and at least one not atomic. Needs no clocks, so it is precise whatever the
 * program synchronises by; it sees only races whose two sides come together in this very execution. Every race found
 * so is one by happens-before too (race.c), and has the same key.
 *
 * Runs when asked for, and where clocks cannot be trusted. Keeps nothing: what is pending, the engine
 * knows. */
#include "core/engine.h"
#include "core/finding.h"
#include "core/observer.h"

static bool conflict(const struct operation *a, const struct operation *b)
{
  return op_is_memory(b->kind) && op_dependent(a, b) && !(op_is_atomic(a->kind) && op_is_atomic(b->kind));
}

static void report(struct engine *e, unsigned me, const struct operation *op, unsigned other,
                   const struct operation *pending)
{
  struct bug *bug = bug_race(e, op->pc, pending->pc, RACE_BY_PENDING);
  bug_add_party(e, bug, me, (enum op_kind)op->kind, op->addr, op->length, op->pc);
  bug_add_party(e, bug, other, (enum op_kind)pending->kind, op->addr, op->length, pending->pc);
  bug_declare(e, bug);
}

static void pending_about(void *state, struct engine *e, unsigned task, const struct operation *op)
{
  (void)state;
  const struct world *w = e->world;
  if (!op_is_memory(op->kind) || w->excused(w->self, task, op))
    return;
  for (unsigned t = 0; t < e->threads; t++)
    if (t != task && e->thread[t].alive && conflict(op, &e->thread[t].pending) &&
        !w->excused(w->self, t, &e->thread[t].pending))
      report(e, task, op, t, &e->thread[t].pending);
}

static bool pending_looks(const void *state, const struct engine *e)
{
  (void)state;
  const struct control_config *config = &e->control->config;
  bool wanted = config->detectors & RACE_BY_PENDING || e->opaque;
  return wanted && (config->races != RACES_IGNORE || config->trace);
}

const struct observer observer_pending = {
    .name = "pending", .looks = pending_looks, .about = pending_about, .only_memory = true};
