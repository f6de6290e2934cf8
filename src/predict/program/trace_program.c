/* SPDX-License-Identifier: Apache-2.0
 *
 * Building a trace program from events; see trace_program.h. What is left out at the end stands in
 * program_reduce.c. */
#include "predict/program/program_builder.h"
#include <stdlib.h>
#include <string.h>

const char *const line_name[LINE_KIND_COUNT] = {
#define X(id, name) [LINE_##id] = name,
    HD_LINES(X)
#undef X
};

/* ---- tables that grow with the trace's ---- */

static bool grow(void *table, uint32_t *count, uint32_t wanted, size_t size)
{
  if (wanted <= *count)
    return true;
  uint32_t room = 2 * wanted;
  char *grown = realloc(*(void **)table, room * size);
  if (!grown)
    return false;
  memset(grown + *count * size, 0, (room - *count) * size);
  *(void **)table = grown;
  *count = room;
  return true;
}

static bool make_room(struct program_builder *b, const struct trace *t)
{
  uint32_t threads = b->threads, objects = b->objects;
  bool ok = grow(&b->thread, &b->threads, t->thread_count, sizeof *b->thread) &&
            grow(&b->program->body, &threads, t->thread_count, sizeof *b->program->body) &&
            grow(&b->object, &b->objects, t->object_count, sizeof *b->object) &&
            grow(&b->program->units, &objects, t->object_count, sizeof *b->program->units);
  b->program->failed |= !ok;
  return ok;
}

/* ---- lines ---- */

static uint32_t count_occurrence(struct program_builder *b, const struct event *e)
{
  uint64_t key = (uint64_t)e->thread << 40 | (uint64_t)e->op << 32 | e->site;
  uint64_t *n = number_map_at(&b->occurrences, key);
  if (!n) {
    b->program->failed = true;
    return 0;
  }
  return (uint32_t)++ * n;
}

void builder_add(struct program_builder *b, uint32_t thread, const struct program_line *line)
{
  struct trace_program *p = b->program;
  struct body *body = &p->body[thread];
  uint32_t had = body->count;
  p->before += line->kind != LINE_END;
  if (!region_add(body, &b->thread[thread].region, line))
    p->failed = true;
  b->lines = b->lines + body->count - had; /* it may have become shorter */
  p->truncated |= b->lines >= PROGRAM_LINES;
}

static void add(struct program_builder *b, const struct event *e, enum line_kind kind, uint8_t flags)
{
  struct program_line line = line_of(b, e, kind, e->object);
  line.flags = flags;
  builder_add(b, e->thread, &line);
}

/* ---- locks ---- */

static struct program_held_lock *held_by(struct builder_thread *t, uint32_t object)
{
  for (uint32_t i = t->held_count; i > 0; i--)
    if (t->held[i - 1].object == object)
      return &t->held[i - 1];
  return NULL;
}

static void take(struct program_builder *b, const struct event *e, enum line_kind kind, bool tries)
{
  struct builder_thread *t = &b->thread[e->thread];
  struct program_held_lock *held = held_by(t, e->object);
  if (e->flags & (EVENT_FAILED | EVENT_HIDDEN))
    return;
  if (held || (e->flags & EVENT_NESTED)) {
    if (held)
      held->depth++;
    return;
  }
  if (t->held_count == t->held_room && !grow(&t->held, &t->held_room, t->held_room + 4, sizeof *t->held)) {
    b->program->failed = true;
    return;
  }
  t->held[t->held_count++] =
      (struct program_held_lock){.object = e->object, .depth = 1, .reader = kind == LINE_SHARE, .op = e->op};
  add(b, e, kind, tries || (e->flags & EVENT_TIMED) ? LINE_TRIES : 0);
}

static void release(struct program_builder *b, const struct event *e)
{
  struct builder_thread *t = &b->thread[e->thread];
  struct program_held_lock *held = held_by(t, e->object);
  if (e->flags & EVENT_FAILED)
    return;
  if (held && held->depth > 1) {
    held->depth--;
    return;
  }
  bool reader = held && held->reader;
  if (held) {
    memmove(held, held + 1, (size_t)(&t->held[t->held_count] - (held + 1)) * sizeof *held);
    t->held_count--;
  }
  add(b, e, LINE_REL, reader ? LINE_READER : 0);
}

/* Those that find it done only wait until it is. */
static void enter_once(struct program_builder *b, const struct event *e)
{
  take(b, e, LINE_ACQ, false);
  if (!e->value)
    release(b, e);
}

/* ---- conditions ---- */

static void wait(struct program_builder *b, const struct trace *t, const struct event *e)
{
  struct builder_thread *self = &b->thread[e->thread];
  const struct program_held_lock *held = held_by(self, e->second);
  struct builder_object *cv = &b->object[e->object];
  if (e->flags & EVENT_FAILED)
    return;
  if (cv->mutex && cv->mutex != e->second && !b->program->problem[0])
    snprintf(b->program->problem, sizeof b->program->problem, "%s is waited on with two mutexes, %s and %s",
             t->objects[e->object].text, t->objects[cv->mutex].text, t->objects[e->second].text);
  cv->mutex = e->second;
  if (self->open) {
    uint64_t *site = number_map_at(&b->waits, self->guard_site[self->open - 1]);
    b->program->failed |= !site;
    if (site)
      *site = e->site;
  }
  struct program_line line = line_of(b, e, e->flags & EVENT_TIMED ? LINE_TWAIT : LINE_WAIT, e->object);
  line.second = held && held->depth > 1 ? 0 : e->second;
  builder_add(b, e->thread, &line);
}

/* Only now it is known that the wait had a timeout. */
static void wake_timed(struct program_builder *b, const struct event *e)
{
  struct body *body = &b->program->body[e->thread];
  struct program_line *last = body->count ? &body->line[body->count - 1] : NULL;
  if (last && last->kind == LINE_WAIT && last->object == e->object)
    last->kind = LINE_TWAIT;
}

void builder_problem(struct program_builder *b, const struct trace *t, uint32_t site, const char *what)
{
  if (!b->program->problem[0])
    snprintf(b->program->problem, sizeof b->program->problem, "%s: %s", t->sites[site].text, what);
}

static uint32_t predicate_of(struct program_builder *b, uint32_t object)
{
  struct builder_object *o = &b->object[object];
  if (!o->predicate) {
    o->variable = builder_variable(b, (struct program_variable){.object = object});
    o->predicate = builder_predicate(b, (struct program_predicate){.object = object, .variable = o->variable});
  }
  return o->predicate;
}

uint32_t builder_variable(struct program_builder *b, struct program_variable variable)
{
  struct trace_program *p = b->program;
  uint32_t wanted = p->variables ? p->variables + 1 : 2;
  if (wanted > b->variable_room && !grow(&p->variable, &b->variable_room, wanted, sizeof *p->variable)) {
    p->failed = true;
    return 0;
  }
  variable.word = wanted - 1;
  p->variable[wanted - 1] = variable;
  p->variables = wanted;
  return wanted - 1;
}

uint32_t builder_predicate(struct program_builder *b, struct program_predicate predicate)
{
  struct trace_program *p = b->program;
  uint32_t wanted = p->predicates ? p->predicates + 1 : 2;
  if (wanted > b->predicate_room && !grow(&p->predicate, &b->predicate_room, wanted, sizeof *p->predicate)) {
    p->failed = true;
    return 0;
  }
  p->predicate[wanted - 1] = predicate;
  p->predicates = wanted;
  return wanted - 1;
}

/* What the guard kept from happening. A mutex that the thread does not hold is taken around it. */
void builder_synthetic(struct program_builder *b, const struct event *e, enum op_kind op, uint32_t cv, uint32_t mutex)
{
  bool holds = !mutex || held_by(&b->thread[e->thread], mutex);
  struct program_line line = line_of(b, e, LINE_ACQ, mutex);
  line.flags = LINE_SYNTHETIC | LINE_ELSEWHERE;
  line.op = OP_MUTEX_LOCK;
  if (!holds)
    builder_add(b, e->thread, &line);
  line.kind = op == OP_COND_WAIT ? LINE_WAIT : op == OP_COND_SIGNAL ? LINE_SIG : LINE_BCAST;
  line.op = (uint16_t)op;
  line.object = cv;
  line.second = op == OP_COND_WAIT ? mutex : 0;
  builder_add(b, e->thread, &line);
  line.kind = LINE_REL;
  line.op = OP_MUTEX_UNLOCK;
  line.object = mutex;
  line.second = 0;
  if (!holds)
    builder_add(b, e->thread, &line);
}

static void close_guard(struct program_builder *b, uint32_t thread)
{
  struct program_line line = {.kind = LINE_END, .op = OP_GUARD_END};
  b->thread[thread].open--;
  builder_add(b, thread, &line);
}

static void open_guard(struct program_builder *b, const struct trace *t, const struct event *e)
{
  struct builder_thread *self = &b->thread[e->thread];
  const struct event *guard = &self->announced;
  uint32_t predicate = predicate_of(b, e->object);
  for (uint32_t i = 0; i < self->open; i++)
    if (self->guarding[i] == predicate) {
      builder_problem(b, t, guard->site, "the guard before this one of the same predicate was never ended");
      while (self->open > i)
        close_guard(b, e->thread);
    }
  if (self->open == GUARDS_OPEN) {
    builder_problem(b, t, guard->site, "guards are nested too deeply");
    return;
  }
  self->guard_site[self->open] = guard->site;
  self->guarding[self->open++] = predicate;
  struct program_line line = line_of(b, guard, LINE_IF, predicate);
  line.occurrence = self->announced_occurrence;
  line.flags = guard->op == OP_COND_GUARD_WAIT ? LINE_WAITS : 0;
  builder_add(b, e->thread, &line);
  self->asked = b->program->body[e->thread].count;
  if (e->value)
    return;
  b->occurrence = self->announced_occurrence;
  builder_synthetic(b, guard,
                    guard->op == OP_COND_GUARD_WAIT     ? OP_COND_WAIT
                    : guard->op == OP_COND_GUARD_SIGNAL ? OP_COND_SIGNAL
                                                        : OP_COND_BROADCAST,
                    guard->object, guard->second);
}

/* A predicate was evaluated: for the guard just announced, or because it may have changed. */
static void evaluate(struct program_builder *b, const struct trace *t, const struct event *e)
{
  struct builder_thread *self = &b->thread[e->thread];
  struct builder_object *o = &b->object[e->object];
  bool changed = !o->known || o->value != (e->value != 0);
  bool guards = self->announced.number != 0;
  o->value = e->value != 0;
  if (guards && o->known && changed)
    builder_problem(b, t, self->announced.site, "the predicate has changed before this, and nobody said so");
  if (changed && (!guards || !o->known)) {
    predicate_of(b, e->object);
    struct program_line line = line_of(b, e, LINE_SET, o->variable);
    if (op_writes_memory(self->before.op)) { /* that changed it: in another run, too */
      line.op = self->before.op;
      line.site = self->before.site;
      line.occurrence = self->before_occurrence;
    }
    line.value = o->value;
    builder_add(b, e->thread, &line);
  }
  o->known = true;
  if (guards)
    open_guard(b, t, e);
  self->announced.number = 0;
}

/* ---- semaphores and barriers ---- */

static void move_units(struct program_builder *b, const struct event *e, int by)
{
  struct builder_object *o = &b->object[e->object];
  if (e->flags & EVENT_FAILED)
    return;
  o->units += by;
  if (o->units < o->least)
    o->least = o->units;
  bool tries = e->op == OP_SEM_TRYWAIT || e->op == OP_SEM_TIMEDWAIT || (e->flags & EVENT_TIMED);
  add(b, e, by < 0 ? LINE_DOWN : LINE_UP, tries ? LINE_TRIES : 0);
}

/* ---- events ---- */

static void other_event(struct program_builder *b, const struct trace *t, const struct event *e)
{
  struct builder_thread *self = &b->thread[e->thread];
  switch (e->op) {
  case OP_PREDICATE:
    evaluate(b, t, e);
    break;
  case OP_COND_GUARD_WAIT:
  case OP_COND_GUARD_SIGNAL:
  case OP_COND_GUARD_BROADCAST:
    self->announced = *e;
    self->announced_occurrence = b->occurrence;
    break;
  case OP_GUARD_END:
    if (self->open)
      close_guard(b, e->thread);
    else
      builder_problem(b, t, e->site, "the end of a guard that nobody began");
    break;
  case OP_EXIT:
    self->exited = b->exits = true;
    break;
  case OP_SEM_INIT:
    b->program->units[e->object] = (uint32_t)e->value;
    break;
  case OP_BARRIER_INIT:
    b->program->units[e->object] = (uint32_t)e->value;
    break;
  case OP_BARRIER_LEAVE:
    b->object[e->object].opened = true;
    break;
  default:
    break;
  }
}

static void lock_event(struct program_builder *b, const struct trace *t, const struct event *e)
{
  switch (e->op) {
  case OP_MUTEX_LOCK:
  case OP_SPIN_LOCK:
  case OP_RWLOCK_WRLOCK:
    take(b, e, LINE_ACQ, false);
    break;
  case OP_MUTEX_TRYLOCK:
  case OP_MUTEX_TIMEDLOCK:
  case OP_SPIN_TRYLOCK:
  case OP_RWLOCK_TRYWRLOCK:
  case OP_RWLOCK_TIMEDWRLOCK:
    take(b, e, LINE_ACQ, true);
    break;
  case OP_RWLOCK_RDLOCK:
    take(b, e, LINE_SHARE, false);
    break;
  case OP_RWLOCK_TRYRDLOCK:
  case OP_RWLOCK_TIMEDRDLOCK:
    take(b, e, LINE_SHARE, true);
    break;
  case OP_ONCE_ENTER:
    enter_once(b, e);
    break;
  case OP_MUTEX_UNLOCK:
  case OP_SPIN_UNLOCK:
  case OP_RWLOCK_UNLOCK:
  case OP_ONCE_DONE:
    release(b, e);
    break;
  default:
    other_event(b, t, e);
  }
}

static void start(struct program_builder *b, const struct event *e, enum line_kind kind)
{
  struct program_line line = line_of(b, e, kind, e->other);
  if (!e->other || (e->flags & EVENT_FAILED))
    return;
  if (kind == LINE_START)
    b->program->body[e->other].started = true;
  builder_add(b, e->thread, &line);
}

/* The program looks at what the guard is about right after it began it: that is what counts in another run. */
static void find_look(struct program_builder *b, const struct event *e)
{
  struct builder_thread *self = &b->thread[e->thread];
  struct program_line *line = self->asked ? &b->program->body[e->thread].line[self->asked - 1] : NULL;
  self->asked = 0;
  if (!line || line->kind != LINE_IF || (e->op != OP_READ && e->op != OP_ATOMIC_LOAD))
    return;
  line->op = e->op;
  line->site = e->site;
  line->occurrence = b->occurrence;
}

static void translate(struct program_builder *b, const struct trace *t, const struct event *e)
{
  switch (e->op) {
  case OP_CREATE:
    start(b, e, LINE_START);
    break;
  case OP_JOIN:
    start(b, e, LINE_JOIN);
    break;
  case OP_COND_WAIT:
    wait(b, t, e);
    break;
  case OP_COND_TIMEDWAKE:
    wake_timed(b, e);
    break;
  case OP_COND_SIGNAL:
    add(b, e, LINE_SIG, 0);
    break;
  case OP_COND_BROADCAST:
    add(b, e, LINE_BCAST, 0);
    break;
  case OP_SEM_WAIT:
  case OP_SEM_TRYWAIT:
  case OP_SEM_TIMEDWAIT:
    move_units(b, e, -1);
    break;
  case OP_SEM_POST:
    move_units(b, e, 1);
    break;
  case OP_BARRIER_ARRIVE:
    b->object[e->object].least += b->object[e->object].opened ? 0 : 1;
    add(b, e, LINE_MEET, 0);
    break;
  default:
    lock_event(b, t, e);
  }
}

void program_event(struct program_builder *b, const struct trace *t, const struct event *e)
{
  if (b->program->failed || b->program->truncated || (e->flags & (EVENT_PENDING | EVENT_HIDDEN)) ||
      (op_is_memory(e->op) && !b->inferred) || !make_room(b, t))
    return;
  b->occurrence = count_occurrence(b, e);
  find_look(b, e);
  if (b->inferred)
    inferred_before(b, t, e);
  translate(b, t, e);
  if (b->inferred)
    inferred_after(b, e);
  if (b->inferred && e->op != OP_PREDICATE) {
    b->thread[e->thread].before = *e;
    b->thread[e->thread].before_occurrence = b->occurrence;
  }
}

/* ---- begin and end ---- */

static void free_builder(struct program_builder *b)
{
  for (uint32_t i = 0; i < b->threads; i++) {
    region_free(&b->thread[i].region);
    free(b->thread[i].held);
  }
  number_map_free(&b->occurrences);
  number_map_free(&b->waits);
  number_map_free(&b->variables);
  number_map_free(&b->values);
  free(b->thread);
  free(b->object);
  free(b->inferred);
  free(b);
}

struct program_builder *program_begin(const struct program_options *options)
{
  struct program_builder *b = calloc(1, sizeof *b);
  struct trace_program *p = calloc(1, sizeof *p);
  if (!b || !p) {
    free(b);
    free(p);
    return NULL;
  }
  b->options = *options;
  b->program = p;
  p->guards = options->guards;
  if (!options->guards || inferred_begin(b))
    return b;
  program_free(p);
  free_builder(b);
  return NULL;
}

/* Locks that a thread holds where its list was cut off are not held for ever. */
static void release_rest(struct program_builder *b, uint32_t thread)
{
  struct builder_thread *t = &b->thread[thread];
  for (; b->program->truncated && t->held_count; t->held_count--) {
    const struct program_held_lock *held = &t->held[t->held_count - 1];
    struct program_line line = {.kind = LINE_REL,
                                .flags = held->reader ? LINE_READER : 0,
                                .op = held->op, /* of the same kind of object */
                                .object = held->object};
    builder_add(b, thread, &line);
  }
}

/* A wait that did not happen is where the same guard's wait did, if it ever did. */
static void place_waits(struct program_builder *b, uint32_t thread)
{
  struct body *body = &b->program->body[thread];
  for (uint32_t i = 0; i < body->count; i++) {
    struct program_line *line = &body->line[i];
    bool wait = line->kind == LINE_WAIT && (line->flags & LINE_SYNTHETIC);
    const uint64_t *site = wait ? number_map_find(&b->waits, line->site) : NULL;
    if (site) {
      line->site = (uint32_t)*site;
      line->flags &= (uint8_t)~LINE_ELSEWHERE;
    }
  }
}

static bool ends_with_main(const struct program_builder *b, const struct trace *t)
{
  uint32_t roots = 0;
  for (uint32_t i = 1; i < t->thread_count; i++)
    roots += !b->program->body[i].started;
  return b->exits && roots == 1 && !b->program->body[1].started && !b->thread[1].exited;
}

struct trace_program *program_end(struct program_builder *b, const struct trace *t)
{
  struct trace_program *p = b->program;
  p->threads = b->threads;
  if (make_room(b, t)) {
    for (uint32_t i = 1; i < t->thread_count; i++) {
      if (b->thread[i].open && !p->problem[0])
        snprintf(p->problem, sizeof p->problem, "%s ends inside a guard", t->threads[i].text);
      inferred_end(b, i);
      while (b->thread[i].open)
        close_guard(b, i);
      release_rest(b, i);
      place_waits(b, i);
    }
    for (uint32_t i = 1; i < t->object_count; i++) {
      int64_t least = b->object[i].least;
      if (t->objects[i].kind == OBJECT_SEM && p->units[i] < -least)
        p->units[i] = (uint32_t)-least;
      if (t->objects[i].kind == OBJECT_BARRIER && !p->units[i])
        p->units[i] = (uint32_t)least;
    }
    p->threads = t->thread_count;
    p->objects = t->object_count;
    p->ends_with_main = ends_with_main(b, t);
    p->failed |= !program_reduce(p, b->options.loop_guards);
  }
  free_builder(b);
  if (!p->failed)
    return p;
  program_free(p);
  return NULL;
}

bool program_holds(const struct trace_program *p, uint32_t predicate, const int64_t *value)
{
  const struct program_predicate *q = &p->predicate[predicate];
  return q->guard ? guards_hold(p->guards, q->guard, value[q->variable], value[q->other]) : value[q->variable] != 0;
}

void program_free(struct trace_program *p)
{
  if (!p)
    return;
  for (uint32_t i = 0; p->body && i < p->threads; i++)
    free(p->body[i].line);
  free(p->body);
  free(p->predicate);
  free(p->variable);
  free(p->units);
  free(p);
}
