/* SPDX-License-Identifier: Apache-2.0
 *
 * Recording the events of one execution, with values and stacks, for the story of a bug and the trace log. Only in
 * traced executions. A hook comes before its access, so the value of a write is read at the thread's next step.
 */
#include "core/calls.h"
#include "core/observer.h"
#include "core/rng.h"
#include "runtime/debugger.h"
#include "runtime/runtime.h"
#include "runtime/signals.h"
#include "runtime/util.h"
#include <sys/syscall.h>
#include <sys/uio.h>

static struct trace_event *last;

/* How a thread fares while it stands before its next event. Steps, 0 for none. */
struct wait {
  uint64_t since;  /* at which it could not go on for the first time */
  uint64_t let_by; /* that made it possible again */
  uint64_t woken_by;
};
static struct wait waits[MAX_THREADS];
static uint64_t step_before; /* of the event before */

static struct trace_event *event_at(uint64_t n)
{
  return (struct trace_event *)CONTROL_AT(rt.control, CONTROL_TRACE_OFFSET) + n;
}

/* The access may be about to crash; looking must not. */
static bool peek(uintptr_t addr, uint32_t length, uint64_t *value)
{
  *value = 0;
  struct iovec to = {value, length}, from = {(void *)addr, length};
  return sys(SYS_process_vm_readv, sys(SYS_getpid), &to, 1, &from, 1, 0) == (long)length;
}

static void note_memory(struct trace_event *e, const struct operation *op)
{
  struct block_info block;
  if (heap_contains(op->addr) && heap_find(op->addr, &block)) {
    e->block_pc = block.alloc_pc;
    e->block_offset = op->addr - block.start;
  }
  if (trace_local(op->addr, &e->local_pc, &e->local_offset) && op_writes_memory(op->kind) &&
      !race_was_accessed(op))
    e->marks |= TRACE_FRESH;
  e->has_value =
      op->kind != OP_FREE && (op->length == 1 || op->length == 2 || op->length == 4 || op->length == 8);
  if (op_is_memory(op->kind) && e->has_value)
    e->has_value = peek(op->addr, op->length, &e->before);
  e->value = e->before;
}

bool trace_local(uintptr_t addr, uintptr_t *pc, int64_t *offset)
{
  for (unsigned t = 0; t < rt.engine->threads && rt.tracing; t++) {
    const struct thread *thread = &rt.thread[t];
    for (uint32_t i = thread->frames < FRAMES ? thread->frames : FRAMES; i-- > 0;) {
      const struct frame *f = &thread->frame[i];
      if (addr < f->sp || addr >= f->cfa)
        continue;
      *pc = f->own;
      *offset = (int64_t)(addr - f->cfa);
      return true;
    }
  }
  return false;
}

static void note_stack(struct trace_event *e, unsigned thread)
{
  const struct thread *t = &rt.thread[thread];
  for (uint32_t i = t->frames; i-- > 0 && e->depth < BUG_STACK;)
    if (i < FRAMES && !in_runtime(t->frame[i].pc))
      e->stack[e->depth++] = t->frame[i].pc;
}

/* What is shared is known by now: the execution was run before to learn it (loop.c). */
static bool of_interest(const struct operation *op)
{
  if (!op_is_memory(op->kind))
    return true;
  for (uintptr_t g = op->addr & ~UINT64_C(7); g < op->addr + op->length; g += 8)
    if (shadow_location(*shadow_word((void *)g)))
      return true;
  return false;
}

static bool is_signalled(const struct operation *op, unsigned thread)
{
  switch (op->kind) {
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
  case OP_BARRIER_LEAVE:
  case OP_FUTEX_BLOCK:
  case OP_FUTEX_TIMEDBLOCK:
    return threadset_has(&object_by_id(op->object)->signalled, thread);
  default:
    return false;
  }
}

/* What the event before has done to those that wait. */
static void follow_waits(void)
{
  const struct engine *e = rt.engine;
  for (unsigned t = 0; t < e->threads; t++) {
    struct wait *wait = &waits[t];
    if (!e->thread[t].alive)
      continue;
    if (!wait->woken_by && is_signalled(&e->thread[t].pending, t))
      wait->woken_by = step_before;
    if (!threadset_has(&e->enabled, t)) {
      wait->since = wait->since ? wait->since : e->step;
      wait->let_by = 0;
    } else if (wait->since && !wait->let_by) {
      wait->let_by = step_before;
    }
  }
}

static void note_wait(struct trace_event *e)
{
  struct wait *wait = &waits[e->thread];
  e->waited_since = wait->since;
  e->woken_by = wait->woken_by ? wait->woken_by : wait->let_by;
  *wait = (struct wait){0};
}

/* Others that are about to access the same bytes. */
static void note_pending(struct trace_event *e, const struct operation *op)
{
  const struct engine *engine = rt.engine;
  for (unsigned t = 0; t < engine->threads && op_is_memory(op->kind); t++) {
    const struct operation *other = &engine->thread[t].pending;
    if (t == e->thread || !engine->thread[t].alive || !op_is_memory(other->kind) ||
        other->addr >= op->addr + op->length || op->addr >= other->addr + other->length)
      continue;
    if (op_writes_memory(other->kind))
      e->writers++;
    else
      e->readers++;
  }
}

static int holder_of(const struct operation *op)
{
  switch (op_table[op->kind].object) {
  case OBJECT_MUTEX:
  case OBJECT_SPIN:
  case OBJECT_ONCE:
    return object_by_id(op->object)->owner;
  case OBJECT_RWLOCK: {
    const struct object *lock = object_by_id(op->object);
    unsigned reader = threadset_next(&lock->readers, 0);
    return lock->owner >= 0 || reader == MAX_THREADS ? lock->owner : (int)reader;
  }
  default:
    return -1;
  }
}

static struct trace_event make_event(unsigned thread, const struct operation *op)
{
  struct trace_event e = {.step = rt.engine->step,
                          .thread = thread,
                          .op = op->kind,
                          .length = op->length,
                          .holder = holder_of(op),
                          .addr = op->addr,
                          .pc = op->pc,
                          .arg = op->kind == OP_CREATE ? rt.engine->threads
                                                       : op->arg, /* others may have come first */
                          .operations = rt.engine->thread[thread].operations};
  if (op->second)
    e.second = object_by_id(op->second)->addr;
  if (op->kind == OP_EVENT)
    print_text(e.text, sizeof e.text, "%s", (const char *)op->addr);
  if (op->kind == OP_SYSTEM && system_call_name(op->length))
    print_text(e.text, sizeof e.text, "%s()", system_call_name(op->length));
  if (op->kind == OP_CALL)
    print_text(e.text, sizeof e.text, "%s", rt.control->config.call[op->arg - 1].name);
  note_memory(&e, op);
  note_stack(&e, thread);
  note_pending(&e, op);
  note_wait(&e);
  return e;
}

/* The last access of each thread at each place, found by hashing: a race asks for it, and threads that spin race at every
 * turn. When there are more places than slots, the later ones are not found: a race is then told without its past. */
#define PAST_SLOTS (UINT32_C(1) << 16)
#define PAST_TRIED 64 /* slots for one place */

struct past {
  uintptr_t pc; /* 0: free */
  uint32_t thread;
  uint64_t event; /* its number */
};
static struct past *past;

/* Its slot, or one for it; NULL when all that were tried are others'. */
static struct past *past_slot(uint32_t thread, uintptr_t pc)
{
  uint64_t hash = mix64(pc ^ (uint64_t)thread << 48);
  for (uint32_t i = 0; past && i < PAST_TRIED; i++) {
    struct past *slot = &past[(hash + i) % PAST_SLOTS];
    if (!slot->pc || (slot->pc == pc && slot->thread == thread))
      return slot;
  }
  return NULL;
}

static void note_past(const struct trace_event *e, uint64_t n)
{
  struct past *slot = op_is_memory(e->op) ? past_slot(e->thread, e->pc) : NULL;
  if (slot)
    *slot = (struct past){e->pc, e->thread, n};
}

static void trace_event(unsigned thread, const struct operation *op)
{
  if (!of_interest(op))
    return;
  static unsigned previous;
  struct control *c = rt.control;
  uint64_t n = c->trace_events++;
  last = NULL;
  if (n >= CONTROL_TRACE_MAX)
    return;
  const struct engine *engine = rt.engine;
  bool switched = n > 0 && thread != previous;
  bool preempted = switched && engine->segments && engine->segment[engine->segments - 1].enabled;
  follow_waits();
  struct trace_event *e = last = event_at(n);
  *e = make_event(thread, op);
  e->switched = (uint8_t)(switched + preempted);
  previous = thread;
  step_before = e->step;
  note_past(e, n);
  if (op_writes_memory(op->kind) && e->has_value)
    rt.thread[thread].write_event = n + 1;
  if (unlikely(c->debugger.attached))
    debugger_step(e->step, switched);
}

static void trace_begin(void)
{
  if (rt.tracing && !past)
    past = private_memory(PAST_SLOTS * sizeof *past);
  if (rt.tracing)
    fill_bytes(past, 0, PAST_SLOTS * sizeof *past);
  for (unsigned t = 0; t < MAX_THREADS && rt.tracing; t++)
    waits[t] = (struct wait){0};
  step_before = 0;
}

static bool trace_looks(void)
{
  return rt.tracing;
}

const struct observer observer_trace = {
    .name = "trace", .looks = trace_looks, .begin = trace_begin, .event = trace_event};

/* The last access of that thread and place, NULL when the trace does not have it. */
static struct trace_event *past_access(const struct bug_party *party)
{
  const struct past *slot = rt.tracing ? past_slot(party->thread, party->pc) : NULL;
  return slot && slot->pc ? event_at(slot->event) : NULL;
}

void trace_past_stack(struct bug_party *party)
{
  const struct trace_event *e = past_access(party);
  party->depth = e ? (uint16_t)e->depth : 0;
  if (e)
    copy_bytes(party->stack, e->stack, sizeof party->stack);
}

void trace_race(const struct bug_party *earlier)
{
  if (!rt.tracing || !last)
    return;
  const struct trace_event *other = earlier ? past_access(earlier) : NULL;
  last->marks |= TRACE_RACE;
  last->race_step = other ? other->step : 0;
}

void trace_result(int result)
{
  if (last)
    last->result = result;
}

void trace_settle(unsigned thread)
{
  struct thread *t = &rt.thread[thread];
  if (!t->write_event)
    return;
  struct trace_event *e = event_at(t->write_event - 1);
  peek(e->addr, e->length, &e->value);
  t->write_event = 0;
}

/* Accesses of memory that no second thread used tell nothing. */
void trace_condense(void)
{
  struct control *c = rt.control;
  uint64_t n = c->trace_events < CONTROL_TRACE_MAX ? c->trace_events : CONTROL_TRACE_MAX, kept = 0;
  uint8_t pending = 0;
  for (uint64_t i = 0; i < n; i++) {
    struct trace_event *e = event_at(i);
    if (e->switched > pending)
      pending = e->switched;
    if (op_is_memory(e->op) && !race_location_is_shared(e->addr, e->length))
      continue;
    if (kept != i)
      *event_at(kept) = *e;
    event_at(kept++)->switched = pending;
    pending = 0;
  }
  c->trace_events = kept;
}

void trace_leave(void)
{
  struct control *c = rt.control;
  const struct engine *engine = rt.engine;
  const struct threadset *enabled = engine_enabled(rt.engine);
  bool deadlock = rt.between_steps && threadset_empty(enabled);
  follow_waits();
  for (unsigned t = 0; t < engine->threads; t++) {
    bool inside = t == engine->current && !rt.between_steps;
    if (!engine->thread[t].alive || rt.thread[t].finished || inside)
      continue;
    struct trace_event *e = event_at(c->trace_events + c->trace_left++);
    *e = make_event(t, &engine->thread[t].pending);
    if (!threadset_has(enabled, t))
      e->marks |= TRACE_BLOCKED | (deadlock ? TRACE_DEADLOCK : 0);
  }
}
