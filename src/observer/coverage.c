/* SPDX-License-Identifier: Apache-2.0
 *
 * Coverage (core/coverage.h): notes every scheduling point, and for each object the conflicting operations that follow
 * each other. Conflicts are those a tester thinks of: accesses of memory, who gets a lock first, a wait and the signal
 * for it. Only when asked for: it costs a few lookups a step.
 */
#include "core/coverage.h"
#include "core/engine.h"
#include "core/footprint.h"
#include "core/observer.h"
#include "core/rng.h"

#define OBJECTS (1u << 16)
#define READERS 7
#define GRANULES_MOST 64 /* of one access */

struct past {
  uint32_t thread;
  struct operation op;
};

/* What was last done to an object or to eight bytes of memory in this execution. */
struct last_use {
  uint64_t key;
  uint32_t generation;
  bool changed;             /* change is one */
  uint32_t readers, victim; /* since then */
  struct past change;
  struct past reader[READERS];
};

struct uses {
  struct last_use use[OBJECTS];
};

static void note_point(struct coverage *c, uintptr_t pc, uint64_t execution)
{
  uint32_t i = (uint32_t)mix64(pc) % COVERAGE_POINTS;
  for (uint32_t n = 0; n < COVERAGE_POINTS / 2; n++, i = (i + 1) % COVERAGE_POINTS) {
    if (c->point[i].pc == pc)
      return;
    if (!c->point[i].pc) {
      c->point[i] = (struct covered_point){pc, execution};
      return;
    }
  }
  c->lost++;
}

static void note_pair(struct coverage *c, uint64_t execution, const struct past *before, unsigned thread,
                      const struct operation *op)
{
  uintptr_t a = before->op.pc, b = op->pc;
  unsigned order = a != b ? a > b : before->thread > thread;
  uintptr_t low = a < b ? a : b, high = a < b ? b : a;
  uint32_t i = (uint32_t)mix64(low ^ mix64(high)) % COVERAGE_PAIRS;
  for (uint32_t n = 0; n < COVERAGE_PAIRS / 2; n++, i = (i + 1) % COVERAGE_PAIRS) {
    struct covered_pair *p = &c->pair[i];
    if (!p->low)
      *p = (struct covered_pair){low, high, {COVERAGE_NEVER, COVERAGE_NEVER}};
    if (p->low != low || p->high != high)
      continue;
    if (p->first[order] == COVERAGE_NEVER)
      p->first[order] = execution;
    return;
  }
  c->lost++;
}

/* NULL when there is no room. */
static struct last_use *use_of(struct uses *uses, uint32_t generation, uint64_t key)
{
  uint32_t i = (uint32_t)mix64(key) % OBJECTS;
  for (uint32_t n = 0; n < 64; n++, i = (i + 1) % OBJECTS) {
    struct last_use *u = &uses->use[i];
    if (u->generation != generation) {
      *u = (struct last_use){.key = key, .generation = generation};
      return u;
    }
    if (u->key == key)
      return u;
  }
  return NULL;
}

static bool conflict(const struct past *past, unsigned thread, const struct operation *op)
{
  return past->thread != thread && (!op_is_memory(op->kind) || op_dependent(&past->op, op));
}

static struct coverage *sets(const struct engine *e)
{
  return CONTROL_AT(e->control, CONTROL_COVERAGE_OFFSET);
}

static void note_use(struct uses *uses, const struct engine *e, uint64_t key, unsigned thread,
                     const struct operation *op, bool changes)
{
  struct coverage *c = sets(e);
  uint64_t execution = e->control->execution;
  struct last_use *u = use_of(uses, e->generation, key);
  if (!u) {
    c->lost++;
    return;
  }
  struct past now = {thread, *op};
  if (u->changed && conflict(&u->change, thread, op))
    note_pair(c, execution, &u->change, thread, op);
  if (!changes) {
    u->reader[u->readers < READERS ? u->readers++ : u->victim++ % READERS] = now;
    return;
  }
  for (uint32_t i = 0; i < u->readers; i++)
    if (conflict(&u->reader[i], thread, op))
      note_pair(c, execution, &u->reader[i], thread, op);
  u->change = now;
  u->changed = true;
  u->readers = u->victim = 0;
}

static void note_memory(struct uses *uses, const struct engine *e, unsigned thread, const struct operation *op)
{
  uintptr_t granule = op->addr & ~UINT64_C(7), end = op->addr + op->length;
  for (unsigned n = 0; granule < end && n < GRANULES_MOST; n++, granule += 8)
    note_use(uses, e, key_of_word(op->space, granule), thread, op, op_writes_memory(op->kind));
}

/* Locks by those who want them; waits stand for what only looks, signals for what changes. */
static bool of_interest(enum op_kind kind, bool *changes)
{
  *changes = !op_shares_lock(kind) && kind != OP_COND_WAIT;
  return op_takes_lock(kind) || kind == OP_COND_SIGNAL || kind == OP_COND_BROADCAST || kind == OP_COND_WAIT;
}

static void coverage_about(void *state, struct engine *e, unsigned task, const struct operation *op)
{
  bool changes;
  if (op->pc)
    note_point(sets(e), op->pc, e->control->execution);
  if (op_is_memory(op->kind))
    note_memory(state, e, task, op);
  else if (of_interest(op->kind, &changes))
    note_use(state, e, op_address(op) | 1, task, op, changes);
}

static bool coverage_looks(const void *state, const struct engine *e)
{
  (void)state;
  return e->control->config.coverage;
}

const struct observer observer_coverage = {
    .name = "coverage", .state_size = sizeof(struct uses), .looks = coverage_looks, .about = coverage_about};
