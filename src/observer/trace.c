/* SPDX-License-Identifier: Apache-2.0
 *
 * Recording the events of one execution, with values and stacks, for the story of a bug. Only in traced executions.
 * A hook comes before its access, so the value of a write is read at the thread's next step.
 */
#include "core/observer.h"
#include "runtime/runtime.h"
#include "runtime/signals.h"
#include "runtime/util.h"
#include <sys/syscall.h>
#include <sys/uio.h>

static struct trace_event *last;

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
  trace_local(op->addr, &e->local_pc, &e->local_offset);
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

static void trace_event(unsigned thread, const struct operation *op)
{
  if (likely(!rt.tracing) || !of_interest(op))
    return;
  static unsigned previous;
  struct control *c = rt.control;
  uint64_t n = c->trace_events++;
  last = NULL;
  if (n >= CONTROL_TRACE_MAX)
    return;
  const struct engine *engine = rt.engine;
  struct trace_event *e = last = event_at(n);
  bool switched = n > 0 && thread != previous;
  bool preempted = switched && engine->segments && engine->segment[engine->segments - 1].enabled;
  *e = (struct trace_event){.step = engine->step,
                            .thread = thread,
                            .op = op->kind,
                            .switched = (uint8_t)(switched + preempted),
                            .length = op->length,
                            .addr = op->addr,
                            .pc = op->pc,
                            .arg = op->arg,
                            .operations = engine->thread[thread].operations};
  if (op->second && op->kind != OP_FD_WAIT)
    e->second = object_by_id(op->second)->addr;
  previous = thread;
  if (op->kind == OP_EVENT)
    print_text(e->text, sizeof e->text, "%s", (const char *)op->addr);
  note_memory(e, op);
  note_stack(e, thread);
  if (op_writes_memory(op->kind) && e->has_value)
    rt.thread[thread].write_event = n + 1;
  if (c->config.stop_step && engine->step == c->config.stop_step)
    __builtin_trap();
}

const struct observer observer_trace = {.name = "trace", .event = trace_event};

void trace_past_stack(struct bug_party *party)
{
  uint64_t n = rt.control->trace_events;
  party->depth = 0;
  for (uint64_t i = rt.tracing && n <= CONTROL_TRACE_MAX ? n : 0; i-- > 0;) {
    const struct trace_event *e = event_at(i);
    if (e->thread != party->thread || e->pc != party->pc || !op_is_memory(e->op))
      continue;
    party->depth = (uint16_t)e->depth;
    copy_bytes(party->stack, e->stack, sizeof party->stack);
    return;
  }
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
