/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of a trace program that come from inferred conditions (guards.h): a look at the memory of one becomes an IF
 * around the wait that followed, or around the wait that did not; a write that changes it becomes a SET of the writing
 * thread.
 */
#include "predict/program/program_builder.h"
#include <stdlib.h>

static uint32_t variable_at(struct program_builder *b, uint64_t addr)
{
  uint64_t *variable = number_map_at(&b->variables, addr), *value = number_map_at(&b->values, addr);
  if (!variable || !value) {
    b->program->failed = true;
    return 0;
  }
  if (*variable)
    return (uint32_t)*variable;
  *value = (uint64_t)guards_start(b->options.guards, addr);
  *variable = builder_variable(b, (struct program_variable){.starts = (int64_t)*value});
  return (uint32_t)*variable;
}

/* All variables of the one word are of the other now. */
static void join_words(struct trace_program *p, uint32_t a, uint32_t b)
{
  uint32_t from = p->variable[a].word, to = p->variable[b].word;
  for (uint32_t i = 1; i < p->variables; i++)
    if (p->variable[i].word == from)
      p->variable[i].word = to;
}

bool inferred_begin(struct program_builder *b)
{
  const struct guards *g = b->options.guards;
  uint32_t n = guards_count(g);
  b->inferred = calloc((size_t)n + 1, sizeof *b->inferred);
  for (uint32_t i = 1; b->inferred && i < n && !b->program->failed; i++) {
    const struct guard_instance *instance = guards_instance(g, i);
    if (!instance->guards)
      continue;
    struct program_predicate predicate = {.guard = i, .site = instance->site};
    predicate.variable = variable_at(b, instance->addr);
    if (instance->prev) {
      predicate.other = variable_at(b, instance->prev);
      join_words(b->program, predicate.variable, predicate.other);
    }
    b->inferred[i] = builder_predicate(b, predicate);
  }
  return b->inferred && !b->program->failed;
}

static void close(struct program_builder *b, uint32_t thread)
{
  struct program_line line = {.kind = LINE_END, .op = OP_GUARD_END};
  b->thread[thread].waits_for = 0;
  builder_add(b, thread, &line);
}

static void look(struct program_builder *b, const struct event *e)
{
  struct builder_thread *self = &b->thread[e->thread];
  const struct look *now = &self->section.now;
  uint32_t i = now->last.known && now->last.addr == e->addr ? guards_find(b->options.guards, now) : 0;
  if (!i)
    return;
  const struct guard_instance *instance = guards_instance(b->options.guards, i);
  int64_t prev = now->prev.known ? now->prev.value : 0;
  struct program_line line = line_of(b, e, LINE_IF, b->inferred[i]);
  line.flags = LINE_WAITS;
  builder_add(b, e->thread, &line);
  self->waits_for = i;
  self->waited = false;
  if (guards_hold(b->options.guards, i, now->last.value, prev))
    return;
  struct event wait = *e;
  wait.site = instance->wait;
  builder_synthetic(b, &wait, OP_COND_WAIT, instance->cond, instance->mutex);
  struct program_line *last = &b->program->body[e->thread].line[b->program->body[e->thread].count - 1];
  if (!b->program->failed && last->kind == LINE_WAIT)
    last->flags &= (uint8_t)~LINE_ELSEWHERE;
  close(b, e->thread);
}

/* What was read on the same line is counted up or down from; else the value is new. */
static void write(struct program_builder *b, const struct trace *t, const struct event *e)
{
  const uint64_t *variable = number_map_find(&b->variables, e->addr);
  uint64_t *value = variable ? number_map_find(&b->values, e->addr) : NULL;
  if (!value)
    return;
  const struct reading *read = &b->thread[e->thread].section.now.last;
  bool counts = e->op == OP_ATOMIC_RMW || (read->known && read->addr == e->addr && same_line(t, read->site, e->site));
  int64_t before = e->op == OP_ATOMIC_RMW ? (int64_t)*value : read->value;
  struct program_line line = line_of(b, e, counts ? LINE_ADD : LINE_SET, (uint32_t)*variable);
  line.value = counts ? event_number(e) - before : event_number(e);
  *value = (uint64_t)event_number(e);
  builder_add(b, e->thread, &line);
}

/* The wait that must follow may need its mutex first. Anything else ends the guard. */
static bool belongs(const struct program_builder *b, const struct event *e)
{
  const struct builder_thread *self = &b->thread[e->thread];
  const struct guard_instance *instance = guards_instance(b->options.guards, self->waits_for);
  switch (e->op) {
  case OP_COND_WAIT:
    return !self->waited && e->object == instance->cond;
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
    return e->object == instance->cond;
  case OP_MUTEX_LOCK:
    return !self->waited && instance->unlocked && e->object == instance->mutex;
  case OP_MUTEX_UNLOCK:
    return self->waited && instance->unlocked && e->object == instance->mutex;
  default:
    return !self->waited && op_is_memory(e->op);
  }
}

void inferred_before(struct program_builder *b, const struct trace *t, const struct event *e)
{
  struct builder_thread *self = &b->thread[e->thread];
  if (self->waits_for && !belongs(b, e))
    close(b, e->thread);
  section_event(&self->section, b->options.guards, t, e);
  if (!(e->flags & EVENT_VALUE))
    return;
  if (op_writes_memory(e->op))
    write(b, t, e);
  else if (op_is_memory(e->op) && !self->waits_for)
    look(b, e);
}

void inferred_after(struct program_builder *b, const struct event *e)
{
  struct builder_thread *self = &b->thread[e->thread];
  if (!self->waits_for)
    return;
  const struct guard_instance *instance = guards_instance(b->options.guards, self->waits_for);
  self->waited |= e->op == OP_COND_WAIT;
  bool over = instance->unlocked ? e->op == OP_MUTEX_UNLOCK : e->op == OP_COND_WAKE || e->op == OP_COND_TIMEDWAKE;
  if (over)
    close(b, e->thread);
}

void inferred_end(struct program_builder *b, uint32_t thread)
{
  if (b->thread[thread].waits_for)
    close(b, thread);
}
