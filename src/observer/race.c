/* SPDX-License-Identifier: Apache-2.0
 *
 * Data races: two accesses of the same byte by different threads, at least one of them a write and at least one not
 * atomic, with neither happening before the other. Byte-precise; for every shared granule of eight bytes the last
 * accesses are kept with the clock of their thread. Forgetting an old access can lose a race, never invent
 * one. */
#include "core/areas.h"
#include "core/engine.h"
#include "core/finding.h"
#include "core/footprint.h"
#include "core/observer.h"
#include "core/vclock.h"
#include "core/without_libc.h"

#define KEPT 8

struct access {
  uint32_t clock;
  uint8_t thread, bytes;
  bool writes, atomic, frees;
  uintptr_t pc;
};

struct location {
  uint32_t execution; /* of its accesses: those of an older one do not count, */
  uint32_t program;   /* nor those of the program that its process was before */
  uint32_t accesses;
  uint32_t victim;
  struct access access[KEPT];
};

/* Numbers are handed out for good and survive the process; what is known of them is of one execution. */
struct races {
  uint32_t execution;           /* counts them from 1 */
  uint32_t programs[PROCESSES]; /* how often each process went on as another one */
  struct location location[WORLD_LOCATIONS];
};

static void report(struct engine *e, const struct access *before, const struct access *now, const struct operation *op)
{
  struct bug *bug = bug_race(e, before->pc, now->pc, RACE_BY_CLOCKS);
  enum op_kind other = before->frees    ? OP_FREE
                       : before->atomic ? (before->writes ? OP_ATOMIC_STORE : OP_ATOMIC_LOAD)
                       : before->writes ? OP_WRITE
                                        : OP_READ;
  const char *calls = e->world->state_of_calls(e->world->self, op->addr);
  if (calls) {
    bug->detail = RACE_OF_CALLS;
    bug_text(bug, "%s", calls);
  }
  bug_add_party(e, bug, now->thread, (enum op_kind)op->kind, op->addr, op->length, now->pc);
  bug_add_party(e, bug, before->thread, other, op->addr, op->length, before->pc);
  bug->party[1].depth = 0; /* the thread is elsewhere by now */
  bug_declare(e, bug);
}

static bool conflict(const struct access *a, const struct access *b)
{
  return a->thread != b->thread && a->bytes & b->bytes && (a->writes || b->writes) && !(a->atomic && b->atomic);
}

/* An earlier access is not needed any more when this one covers it: whoever races with it races with this one too. */
static bool covered(const struct access *old, const struct access *now, bool ordered)
{
  if (old->bytes & ~now->bytes || (old->writes && !now->writes) || (now->atomic && !old->atomic))
    return false;
  return old->thread == now->thread || (ordered && now->writes);
}

static struct access as_access(const struct vclock *clock, unsigned thread, unsigned bytes, const struct operation *op)
{
  return (struct access){.clock = vclock_get(clock, thread),
                         .thread = (uint8_t)thread,
                         .bytes = (uint8_t)bytes,
                         .writes = op_writes_memory(op->kind),
                         .atomic = op_is_atomic(op->kind),
                         .frees = op->kind == OP_FREE,
                         .pc = op->pc};
}

/* What is known is of this execution, and of the program whose memory it is. */
static void forget_older(const struct races *r, struct location *l, unsigned process, const struct operation *op)
{
  uint32_t program = op->space == SPACE_SHARED ? 0 : r->programs[process];
  if (l->execution == r->execution && l->program == program)
    return;
  l->execution = r->execution;
  l->program = program;
  l->accesses = l->victim = 0;
}

static void access_location(struct engine *e, struct location *l, unsigned me, unsigned bytes,
                            const struct operation *op)
{
  const struct world *w = e->world;
  const struct vclock *clock = w->clock(w->self, me);
  struct access now = as_access(clock, me, bytes, op);
  bool reports = !e->opaque && e->control->config.detectors != RACE_BY_PENDING;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < l->accesses; i++) {
    const struct access *old = &l->access[i];
    bool ordered = old->clock <= vclock_get(clock, old->thread);
    if (reports && conflict(old, &now) && !ordered)
      report(e, old, &now, op);
    if (covered(old, &now, ordered))
      continue;
    if (kept != i)
      l->access[kept] = *old;
    kept++;
  }
  if (kept == KEPT) {
    l->access[l->victim++ % KEPT] = now;
  } else {
    l->access[kept++] = now;
  }
  l->accesses = kept;
}

static void race_about(void *state, struct engine *e, unsigned task, const struct operation *op)
{
  struct races *r = state;
  const struct world *w = e->world;
  const unsigned process = e->control->thread[task].process;
  if (op->kind == OP_PROCESS_END && op->arg == END_BY_EXEC)
    r->programs[process]++;
  if (!op_is_memory(op->kind) || w->excused(w->self, task, op))
    return;
  for (uintptr_t g = op->addr & ~UINT64_C(7); g < op->addr + op->length; g += 8) {
    uint32_t number = w->location(w->self, g);
    if (!number || number >= WORLD_LOCATIONS - 1)
      continue;
    forget_older(r, &r->location[number], process, op);
    access_location(e, &r->location[number], task, op_bytes_in(op, g), op);
  }
}

static void race_begin(void *state, struct engine *e)
{
  (void)e;
  struct races *r = state;
  r->execution++;
  fill_bytes(r->programs, 0, sizeof r->programs);
}

static bool race_looks(const void *state, const struct engine *e)
{
  (void)state;
  return e->control->config.races != RACES_IGNORE || e->control->config.trace;
}

static void race_renewed(void *state, struct engine *e, uintptr_t addr, size_t size)
{
  struct races *r = state;
  for (uintptr_t g = addr & ~UINT64_C(7); g < addr + size; g += 8)
    r->location[e->world->location(e->world->self, g)].execution = 0;
}

const struct observer observer_race = {.name = "race",
                                       .state_size = sizeof(struct races),
                                       .begin = race_begin,
                                       .looks = race_looks,
                                       .about = race_about,
                                       .only_memory = true,
                                       .renewed = race_renewed};
