/* SPDX-License-Identifier: Apache-2.0
 *
 * Data races by pending accesses: a thread accesses memory while another one stands right before an access of the same
 * byte, at least one of the two a write and at least one not atomic. Needs no clocks, so it is precise whatever the
 * program synchronises by; it sees only races whose two sides come together in this very execution. Every race found
 * so is one by happens-before too (race.c), and has the same key.
 *
 * Runs when asked for, and where clocks cannot be trusted. Keeps nothing: what is pending, the engine knows.
 */
#include "core/observer.h"
#include "runtime/runtime.h"

static bool conflict(const struct operation *a, const struct operation *b)
{
  return op_is_memory(b->kind) && op_dependent(a, b) && !(op_is_atomic(a->kind) && op_is_atomic(b->kind));
}

static void report(unsigned me, const struct operation *op, unsigned other, const struct operation *pending)
{
  struct bug *bug = bug_race(op->pc, pending->pc, RACE_BY_PENDING);
  bug_add_party(bug, me, (enum op_kind)op->kind, op->addr, op->length, op->pc);
  bug_add_party(bug, other, (enum op_kind)pending->kind, op->addr, op->length, pending->pc);
  trace_race(NULL);
  bug_declare(bug);
}

static void pending_event(unsigned thread, const struct operation *op)
{
  if (!op_is_memory(op->kind) || race_is_ignored(thread, op))
    return;
  const struct engine *e = rt.engine;
  for (unsigned t = 0; t < e->threads; t++)
    if (t != thread && e->thread[t].alive && conflict(op, &e->thread[t].pending) &&
        !race_is_ignored(t, &e->thread[t].pending) && !race_at_is_benign(op))
      report(thread, op, t, &e->thread[t].pending);
}

static bool pending_looks(void)
{
  const struct control_config *config = &rt.control->config;
  bool wanted = config->detectors & RACE_BY_PENDING || rt.opaque;
  return wanted && (config->races != RACES_IGNORE || rt.tracing);
}

const struct observer observer_pending = {.name = "pending", .looks = pending_looks, .event = pending_event};
