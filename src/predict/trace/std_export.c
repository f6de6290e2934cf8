/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing traces in the STD form; std.h says how it looks.
 */
#include "predict/trace/grow_array.h"
#include "predict/trace/lockset.h"
#include "predict/trace/std.h"
#include "predict/trace/std_fields.h"
#include <inttypes.h>

struct std_writer {
  FILE *to;
  bool plain;
  bool failed;                  /* no memory */
  uint32_t memory, functions;   /* entries written so far */
  uint32_t sites, stacks;       /* entries written so far, entry 0 included */
  struct trace_thread *threads; /* as they were written */
  struct trace_object *objects;
  uint32_t thread_count, thread_room, object_count, object_room;
  uint64_t number; /* of the last event */
  struct locksets held;
};

/* What the six operations say of one event. */
struct base {
  unsigned count;
  struct {
    const char *op;
    char kind; /* T, L: a number of the tables; V, A: an address */
    uint64_t what;
  } line[4];
};

bool std_is_meant(const char *path)
{
  size_t n = strlen(path);
  return n >= 4 && !strcmp(path + n - 4, ".std");
}

struct std_writer *std_open(FILE *to, bool plain)
{
  struct std_writer *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  w->to = to;
  w->plain = plain;
  w->sites = w->stacks = w->thread_count = w->object_count = 1;
  if (!plain)
    fprintf(to, STD_MAGIC "\n");
  return w;
}

bool std_close(struct std_writer *w)
{
  bool ok = !w->failed && !w->held.failed && fflush(w->to) == 0 && !ferror(w->to);
  locksets_free(&w->held);
  free(w->threads);
  free(w->objects);
  free(w);
  return ok;
}

/* ---- tables ---- */

static void put_text(FILE *to, const char *key, const char *text)
{
  if (!text)
    return;
  fprintf(to, " %s", key);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if (*c <= ' ' || *c == '%' || *c == 0x7f)
      fprintf(to, "%%%02x", *c);
    else
      fputc(*c, to);
}

static void put_number(FILE *to, const char *key, uint64_t value)
{
  if (value)
    fprintf(to, " %s=0x%" PRIx64, key, value);
}

static void put_origin(FILE *to, const struct origin *o)
{
  put_number(to, "fixed", o->fixed);
  put_number(to, "inside", o->inside);
  for (uint32_t i = 0; i < o->index_length; i++)
    fprintf(to, "%s0x%" PRIx64 "*0x%" PRIx64, i ? "," : " index=", o->index[i].site, o->index[i].count);
  for (uint32_t i = 0; i < o->chain_length; i++)
    fprintf(to, "%s0x%" PRIx64, i ? "," : " chain=", o->chain[i]);
}

static void put_site(FILE *to, uint32_t i, const struct trace_site *site)
{
  fprintf(to, "#site %" PRIu32, i);
  put_number(to, "offset", site->offset);
  put_number(to, "place", site->place);
  put_text(to, "module=", site->module);
  put_text(to, "text=", site->text);
  fputc('\n', to);
}

static void put_stack(FILE *to, uint32_t i, const struct trace_stack *stack)
{
  fprintf(to, "#stack %" PRIu32, i);
  for (uint32_t n = 0; n < stack->depth; n++)
    fprintf(to, "%c%" PRIu32, n ? ',' : ' ', stack->sites[n]);
  fputc('\n', to);
}

static void put_thread(FILE *to, uint32_t i, const struct trace_thread *thread)
{
  fprintf(to, "#thread %" PRIu32, i);
  put_number(to, "parent", thread->parent);
  put_number(to, "create", thread->create);
  put_text(to, "text=", thread->text);
  put_origin(to, &thread->origin);
  fputc('\n', to);
}

static void put_object(FILE *to, uint32_t i, const struct trace_object *object)
{
  fprintf(to, "#object %" PRIu32, i);
  put_number(to, "kind", object->kind);
  put_number(to, "type", object->type);
  put_number(to, "generation", object->generation);
  put_number(to, "addr", object->addr);
  put_text(to, "text=", object->text);
  put_origin(to, &object->origin);
  fputc('\n', to);
}

/* A thread may learn of its creator, an object of its kind, after it was first written: then once more. */
static void write_thread(struct std_writer *w, const struct trace *t, uint32_t i)
{
  if (i >= t->thread_count || (i < w->thread_count && !memcmp(&w->threads[i], &t->threads[i], sizeof *w->threads)))
    return;
  if (!grow_array((void **)&w->threads, &w->thread_room, i, sizeof *w->threads)) {
    w->failed = true;
    return;
  }
  w->threads[i] = t->threads[i];
  if (w->threads[i].parent >= w->thread_count) /* itself not written yet */
    w->threads[i].parent = 0;
  put_thread(w->to, i, &w->threads[i]);
}

static void write_object(struct std_writer *w, const struct trace *t, uint32_t i)
{
  if (i >= t->object_count || (i < w->object_count && !memcmp(&w->objects[i], &t->objects[i], sizeof *w->objects)))
    return;
  if (!grow_array((void **)&w->objects, &w->object_room, i, sizeof *w->objects)) {
    w->failed = true;
    return;
  }
  w->objects[i] = t->objects[i];
  put_object(w->to, i, &t->objects[i]);
}

static void put_memory(FILE *to, const struct trace_memory *memory)
{
  fputs("#memory", to);
  put_number(to, "addr", memory->addr);
  put_number(to, "length", memory->length);
  put_text(to, "text=", memory->text);
  fputc('\n', to);
}

static void put_function(FILE *to, const struct trace_function *function)
{
  fputs("#function", to);
  put_text(to, "name=", function->name);
  put_text(to, "type=", function->type);
  fputc('\n', to);
}

static void write_tables(struct std_writer *w, const struct trace *t, const struct event *e)
{
  if (!w->number && t->program) {
    fputs("#program", w->to);
    put_text(w->to, "", t->program);
    fputc('\n', w->to);
  }
  for (; w->sites < t->site_count; w->sites++)
    put_site(w->to, w->sites, &t->sites[w->sites]);
  for (; w->stacks < t->stack_count; w->stacks++)
    put_stack(w->to, w->stacks, &t->stacks[w->stacks]);
  for (w->memory += !w->memory; w->memory < t->memory_count; w->memory++)
    put_memory(w->to, &t->memory[w->memory]);
  for (w->functions += !w->functions; w->functions < t->function_count; w->functions++)
    put_function(w->to, &t->functions[w->functions]);
  for (; w->thread_count < t->thread_count && !w->failed; w->thread_count++)
    write_thread(w, t, w->thread_count);
  for (; w->object_count < t->object_count && !w->failed; w->object_count++)
    write_object(w, t, w->object_count);
  const uint32_t threads[] = {e->thread, e->other};
  const uint32_t objects[] = {e->object, e->op == OP_CALL ? 0 : e->second};
  for (unsigned i = 0; i < 2 && !w->failed; i++) {
    if (threads[i])
      write_thread(w, t, threads[i]);
    if (objects[i])
      write_object(w, t, objects[i]);
  }
}

/* ---- what the six operations can say ---- */

static void add(struct base *b, const char *op, char kind, uint64_t what)
{
  b->line[b->count].op = op;
  b->line[b->count].kind = kind;
  b->line[b->count++].what = what;
}

static void pass_through(struct base *b, uint32_t object)
{
  add(b, "acq", 'L', object);
  add(b, "rel", 'L', object);
}

static void use_lock(const struct std_writer *w, const struct event *e, const struct lock_use *use, struct base *b)
{
  const struct held_lock *held = lockset_find(locksets_of(&w->held, e->thread), use->lock);
  if (use->pending || !use->lock)
    return;
  if (use->step == LOCK_TAKES) {
    if (use->hidden && e->second && e->object && !(e->flags & EVENT_FAILED))
      pass_through(b, e->object);
    if (!held && use->shared)
      pass_through(b, use->lock);
    else if (!held)
      add(b, "acq", 'L', use->lock);
  } else if (held && held->depth == 1) {
    if (held->shared)
      pass_through(b, use->lock);
    else
      add(b, "rel", 'L', use->lock);
  }
}

static void use_memory(const struct event *e, struct base *b)
{
  bool atomic = e->op == OP_ATOMIC_LOAD || e->op == OP_ATOMIC_STORE || e->op == OP_ATOMIC_RMW;
  if (atomic)
    add(b, "acq", 'A', e->addr);
  if (e->op == OP_READ || e->op == OP_ATOMIC_LOAD || e->op == OP_ATOMIC_RMW)
    add(b, "r", 'V', e->addr);
  if (op_writes_memory(e->op) && !(e->flags & EVENT_FAILED))
    add(b, "w", 'V', e->addr);
  if (atomic)
    add(b, "rel", 'A', e->addr);
}

static void use_other(const struct event *e, struct base *b)
{
  switch (e->op) {
  case OP_CREATE:
    if (e->other)
      add(b, "fork", 'T', e->other);
    break;
  case OP_JOIN:
  case OP_TIMEDJOIN:
    if (e->other)
      add(b, "join", 'T', e->other);
    break;
  case OP_COND_SIGNAL:
  case OP_COND_BROADCAST:
  case OP_SEM_WAIT:
  case OP_SEM_TRYWAIT:
  case OP_SEM_TIMEDWAIT:
  case OP_SEM_POST:
  case OP_BARRIER_ARRIVE:
  case OP_BARRIER_LEAVE:
  case OP_ONCE_ENTER:
  case OP_ONCE_DONE:
  case OP_FUTEX_WAIT:
  case OP_FUTEX_BLOCK:
  case OP_FUTEX_TIMEDBLOCK:
  case OP_FUTEX_WAKE:
    if (e->object)
      pass_through(b, e->object);
    break;
  default:
    break;
  }
}

static struct base base_of(const struct std_writer *w, const struct event *e)
{
  struct base b = {0};
  struct lock_use use = lock_use_of(e);
  if (use.step != LOCK_NOTHING)
    use_lock(w, e, &use, &b);
  else if (e->flags & EVENT_PENDING)
    return b;
  else if (op_is_memory(e->op))
    use_memory(e, &b);
  else if (!(e->flags & EVENT_FAILED))
    use_other(e, &b);
  return b;
}

/* ---- events ---- */

/* Whether its one line says all of the event. */
static bool is_said(const struct std_writer *w, const struct event *e, const struct base *b)
{
  struct event said = {.number = w->number + 1, .thread = e->thread, .op = e->op, .site = e->site};
  if (b->count != 1)
    return false;
  if (e->op == OP_MUTEX_LOCK || e->op == OP_MUTEX_UNLOCK)
    said.object = e->object;
  else if (e->op == OP_CREATE || e->op == OP_JOIN)
    said.other = e->other;
  else
    return false;
  return !memcmp(&said, e, sizeof said);
}

static void put_event(const struct std_writer *w, const struct event *e, unsigned lines)
{
  fprintf(w->to, "#event %s", op_table[e->op].name);
  if (e->number != w->number + 1)
    put_number(w->to, "number", e->number);
#define X(field) put_number(w->to, #field, e->field);
  STD_FIELDS(X)
#undef X
  fprintf(w->to, " lines=%u\n", lines);
}

void std_event(struct std_writer *w, const struct trace *tables, const struct event *e)
{
  struct base b = base_of(w, e);
  if (w->failed)
    return;
  if (!w->plain) {
    write_tables(w, tables, e);
    if (!is_said(w, e, &b))
      put_event(w, e, b.count);
  }
  for (unsigned i = 0; i < b.count; i++) {
    bool address = b.line[i].kind == 'V' || b.line[i].kind == 'A';
    fprintf(w->to,
            address ? "T%" PRIu32 "|%s(%c%" PRIx64 ")|%" PRIu32 "\n" : "T%" PRIu32 "|%s(%c%" PRIu64 ")|%" PRIu32 "\n",
            e->thread, b.line[i].op, b.line[i].kind, b.line[i].what, e->site);
  }
  w->number = e->number;
  locksets_event(&w->held, e);
}
