/* SPDX-License-Identifier: Apache-2.0
 *
 * Data races: two accesses of the same byte by different threads, at least one of them a write and at least one not
 * atomic, with neither happening before the other. Byte-precise; for every shared granule of eight bytes the last
 * accesses are kept with the clock of their thread. Forgetting an old access can lose a race, never invent one.
 */
#include "core/observer.h"
#include "core/vclock.h"
#include "runtime/hidden_state.h"
#include "runtime/runtime.h"
#include "runtime/util.h"

#define LOCATIONS (1u << 20)
#define KEPT 8

struct access {
  uint32_t clock;
  uint8_t thread, bytes;
  bool writes, atomic, frees;
  uintptr_t pc;
};

struct location {
  uint32_t generation; /* of its accesses: those of an older execution do not count */
  uint32_t accesses;
  uint32_t victim;
  uint32_t first; /* thread */
  bool shared;    /* another one came */
  struct access access[KEPT];
};

/* Numbers are handed out for good and survive the process; what is known of them is of one execution. */
static struct location *locations;

void race_boot(void)
{
  locations = private_memory(LOCATIONS * sizeof *locations);
}

uint32_t race_new_location(void)
{
  uint32_t n = rt.engine->locations + 1;
  if (n >= LOCATIONS - 1)
    return LOCATIONS - 1; /* all further ones share the last: scheduled, not checked */
  rt.engine->locations = n;
  return n;
}

/* ---- what the program says of its races ---- */

#define BENIGN_MOST 4096

static struct range {
  uintptr_t from, to;
} benign[BENIGN_MOST];
static uint32_t benign_count;
static int64_t benign_before_main = -1; /* of these; -1: main has not begun */

static void race_begin(void)
{
  if (benign_before_main < 0)
    benign_before_main = benign_count;
  benign_count = (uint32_t)benign_before_main;
}

void race_is_benign(uintptr_t addr, size_t size)
{
  if (benign_count < BENIGN_MOST)
    benign[benign_count++] = (struct range){addr, addr + size};
}

bool race_at_is_benign(const struct operation *op)
{
  for (uint32_t i = 0; i < benign_count; i++)
    if (op->addr < benign[i].to && benign[i].from < op->addr + op->length)
      return true;
  return false;
}

bool race_is_ignored(unsigned thread, const struct operation *op)
{
  const struct thread *t = &rt.thread[thread];
  return (op_writes_memory(op->kind) ? t->ignores_writes : t->ignores_reads) > 0;
}

/* ---- accesses ---- */

static void report(const struct access *before, const struct access *now, const struct operation *op)
{
  struct bug *bug = bug_race(before->pc, now->pc, RACE_BY_CLOCKS);
  enum op_kind other = before->frees    ? OP_FREE
                       : before->atomic ? (before->writes ? OP_ATOMIC_STORE : OP_ATOMIC_LOAD)
                       : before->writes ? OP_WRITE
                                        : OP_READ;
  const char *calls = hidden_state_at(op->addr);
  if (calls) {
    bug->detail = RACE_OF_CALLS;
    bug_text(bug, "%s", calls);
  }
  bug_add_party(bug, now->thread, (enum op_kind)op->kind, op->addr, op->length, now->pc);
  bug_add_party(bug, before->thread, other, op->addr, op->length, before->pc);
  trace_past_stack(&bug->party[1]); /* the thread is elsewhere by now */
  trace_race(rt.opaque ? NULL : &bug->party[1]);
  bug_declare(bug);
}

static bool conflict(const struct access *a, const struct access *b)
{
  return a->thread != b->thread && a->bytes & b->bytes && (a->writes || b->writes) &&
         !(a->atomic && b->atomic);
}

/* An earlier access is not needed any more when this one covers it: whoever races with it races with this one too. */
static bool covered(const struct access *old, const struct access *now, bool ordered)
{
  if (old->bytes & ~now->bytes || (old->writes && !now->writes) || (now->atomic && !old->atomic))
    return false;
  return old->thread == now->thread || (ordered && now->writes);
}

static struct access as_access(unsigned thread, unsigned bytes, const struct operation *op)
{
  return (struct access){.clock = vclock_get(&rt.thread[thread].clock, thread),
                         .thread = (uint8_t)thread,
                         .bytes = (uint8_t)bytes,
                         .writes = op_writes_memory(op->kind),
                         .atomic = op_is_atomic(op->kind),
                         .frees = op->kind == OP_FREE,
                         .pc = op->pc};
}

static void access_location(uint32_t number, unsigned me, unsigned bytes, const struct operation *op)
{
  if (number == LOCATIONS - 1)
    return;
  struct location *l = &locations[number];
  const struct vclock *clock = &rt.thread[me].clock;
  struct access now = as_access(me, bytes, op);
  bool reports = !rt.opaque && rt.control->config.detectors != RACE_BY_PENDING;
  if (l->generation != rt.generation) {
    l->generation = rt.generation;
    l->accesses = l->victim = 0;
    l->first = me;
    l->shared = false;
  }
  l->shared |= l->first != me;
  if (race_is_ignored(me, op))
    return;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < l->accesses; i++) {
    const struct access *old = &l->access[i];
    bool ordered = old->clock <= vclock_get(clock, old->thread);
    if (reports && conflict(old, &now) && !ordered && !race_at_is_benign(op))
      report(old, &now, op);
    if (!covered(old, &now, ordered))
      l->access[kept++] = *old;
  }
  if (kept == KEPT) {
    l->access[l->victim++ % KEPT] = now;
  } else {
    l->access[kept++] = now;
  }
  l->accesses = kept;
}

static unsigned bytes_in(uintptr_t granule, const struct operation *op)
{
  uintptr_t from = op->addr > granule ? op->addr - granule : 0;
  uintptr_t end = op->addr + op->length;
  uintptr_t to = end < granule + 8 ? end - granule : 8;
  return (1u << to) - (1u << from);
}

static void race_event(unsigned thread, const struct operation *op)
{
  if (!op_is_memory(op->kind))
    return;
  for (uintptr_t g = op->addr & ~UINT64_C(7); g < op->addr + op->length; g += 8) {
    uint32_t number = shadow_location(*shadow_word((void *)g));
    if (number)
      access_location(number, thread, bytes_in(g, op), op);
  }
}

static bool race_looks(void)
{
  return rt.control->config.races != RACES_IGNORE || rt.tracing;
}

const struct observer observer_race = {
    .name = "race", .begin = race_begin, .looks = race_looks, .event = race_event};

void race_forget(uintptr_t addr, size_t size)
{
  for (uintptr_t g = addr & ~UINT64_C(7); g < addr + size; g += 8)
    locations[shadow_location(*shadow_word((void *)g))].generation = 0;
}

bool race_location_is_shared(uintptr_t addr, uint32_t length)
{
  for (uintptr_t granule = addr & ~UINT64_C(7); granule < addr + length; granule += 8) {
    uint32_t number = shadow_location(*shadow_word((void *)granule));
    if (number && (number == LOCATIONS - 1 ||
                   (locations[number].generation == rt.generation && locations[number].shared)))
      return true;
  }
  return false;
}

bool race_was_accessed(const struct operation *op)
{
  for (uintptr_t g = op->addr & ~UINT64_C(7); g < op->addr + op->length; g += 8) {
    uint32_t number = shadow_location(*shadow_word((void *)g));
    const struct location *l = &locations[number];
    if (number == LOCATIONS - 1)
      return true;
    for (uint32_t i = 0; number && l->generation == rt.generation && i < l->accesses; i++)
      if (l->access[i].bytes & bytes_in(g, op))
        return true;
  }
  return false;
}
