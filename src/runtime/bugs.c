/* SPDX-License-Identifier: Apache-2.0
 *
 * Declaring bugs. A bug is known by its key, made from places in the code, so that one bug is one report however many
 * executions show it. Nothing is printed here; the record goes to the control block.
 */
#include "core/rng.h"
#include "runtime/debugger.h"
#include "runtime/runtime.h"
#include "runtime/signals.h"
#include "runtime/util.h"

static struct bug scratch;

/* Places count relative to their module, so that keys hold where addresses are random. */
uint64_t bug_key_of(enum bug_kind kind, uintptr_t a, uintptr_t b)
{
  return mix64(mix64(mix64(kind + 1) ^ stable_place(a)) + stable_place(b));
}

struct bug *bug_new(enum bug_kind kind, uint64_t key)
{
  scratch.kind = kind;
  scratch.parties = 0;
  scratch.key = key;
  scratch.detail = 0;
  scratch.constant = 0;
  scratch.detectors = 0;
  scratch.text[0] = scratch.where[0] = 0;
  return &scratch;
}

struct bug *bug_race(uintptr_t a, uintptr_t b, uint32_t detector)
{
  struct bug *bug = bug_new(BUG_RACE, bug_key_of(BUG_RACE, a < b ? a : b, a < b ? b : a));
  bug->detectors = detector;
  bug_text(bug, "data race");
  return bug;
}

void bug_text(struct bug *bug, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  format_text(bug->text, sizeof bug->text, format, args);
  va_end(args);
}

static void copy_stack(struct bug_party *party, unsigned thread)
{
  const struct thread *t = &rt.thread[thread];
  party->depth = 0;
  if (!rt.tracing)
    return;
  for (uint32_t i = t->frames; i-- > 0 && party->depth < BUG_STACK;)
    if (i < FRAMES && !in_runtime(t->frame[i].pc))
      party->stack[party->depth++] = t->frame[i].pc;
}

void bug_add_party(struct bug *bug, unsigned thread, enum op_kind op, uintptr_t addr, uint32_t length,
                   uintptr_t pc)
{
  if (bug->parties == BUG_PARTIES)
    return;
  struct bug_party *p = &bug->party[bug->parties++];
  *p = (struct bug_party){
      .thread = thread, .op = (uint16_t)op, .length = length, .holder = -1, .addr = addr, .pc = pc};
  struct block_info block;
  if (heap_contains(addr) && heap_find(addr, &block)) {
    p->block_pc = block.alloc_pc;
    p->freed_pc = block.free_pc;
    p->block_offset = addr - block.start;
    p->block_size = block.size;
  }
  trace_local(addr, &p->local_pc, &p->local_offset);
  copy_stack(p, thread);
}

static bool ends_execution(const struct bug *bug)
{
  return bug_ends_execution(bug, rt.control->config.races, rt.control->config.leaks);
}

/* Those that end no execution come in any number, and must not take the room of the one that does. */
static bool has_room(const struct control *c, bool ends)
{
  uint32_t asides = 0;
  for (uint32_t i = 0; i < c->bugs; i++)
    asides += !ends_execution(&c->bug[i]);
  return c->bugs < CONTROL_BUGS && (ends || asides < CONTROL_ASIDES);
}

void bug_declare(const struct bug *bug)
{
  struct control *c = rt.control;
  uint32_t i = 0;
  bool ends = ends_execution(bug);
  while (i < c->bugs && c->bug[i].key != bug->key)
    i++;
  if (i < c->bugs) {
    c->bug[i].detectors |= bug->detectors;
    c->bug[i].constant &= bug->constant;
  } else if (has_room(c, ends)) {
    c->bug[i] = *bug;
    c->bug[i].execution = c->execution;
    c->bug[i].step = rt.engine->step;
    c->bug[i].schedule = SCHEDULE_PENDING;
    c->bugs++;
  } else {
    c->bugs_left_out = 1;
  }
  if (unlikely(c->debugger.attached) && (ends || bug->key == c->debugger.bug_key))
    debugger_stand(STANDS_AT_BUG);
  if (!ends && (c->config.target_key != bug->key || rt.bug))
    return;
  rt.bug = ends || rt.engine->strategy->keeps;
  rt.bug_key = bug->key;
  rt.bug_kind = bug->kind;
  if (hd_self && ends)
    execution_end();
}

void bug_exit(int status)
{
  struct control *c = rt.control;
  bool right = c->config.exit_status == EXIT_STATUS_ANY || (uint64_t)status == c->config.exit_status;
  if (!c->exits.seen)
    c->exits.first = (uint32_t)status;
  c->exits.seen = 1;
  c->exits.differ |= c->exits.first != (uint32_t)status;
  for (uint32_t i = 0; i < c->bugs && c->exits.differ; i++)
    c->bug[i].constant = 0;
  if (right)
    return;
  struct bug *bug = bug_new(BUG_EXIT, bug_key_of(BUG_EXIT, (uintptr_t)status, 0));
  bug->detail = status;
  bug->constant = !c->exits.differ;
  bug_text(bug, "the program ended with exit status %d", status);
  unsigned me = self_index();
  bug_add_party(bug, me, (enum op_kind)rt.engine->thread[me].pending.kind, 0, 0, 0);
  bug_declare(bug);
}

void bug_here(enum bug_kind kind, uintptr_t addr, uintptr_t pc, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  /* A hang shows wherever it is cut off; it is one bug all the same. */
  struct bug *bug = bug_new(kind, bug_key_of(kind, kind == BUG_HANG ? 0 : pc, 0));
  format_text(bug->text, sizeof bug->text, format, args);
  va_end(args);
  unsigned me = self_index();
  bug_add_party(bug, me, (enum op_kind)rt.engine->thread[me].pending.kind, addr, 0, pc);
  bug_declare(bug);
  execution_end();
}

void misuse(const struct object *object, enum op_kind op, uintptr_t pc, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  struct bug *bug = bug_new(BUG_PROPERTY, bug_key_of(BUG_PROPERTY, pc, op));
  format_text(bug->text, sizeof bug->text, format, args);
  va_end(args);
  bug_add_party(bug, self_index(), op, object ? object->addr : 0, 0, pc);
  if (object && object->owner >= 0) {
    bug->party[0].holder = object->owner;
    bug->party[0].holder_pc = object->owner_pc;
  }
  bug_declare(bug);
  execution_end();
}
