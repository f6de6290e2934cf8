/* SPDX-License-Identifier: Apache-2.0
 *
 * The binary form of a trace: the eight bytes of the magic, then records. A record is a tag and its fields: numbers of
 * seven bits a byte, lowest first; texts with their length before them. An event has a word of bits that says which
 * of its fields are there. The last record counts the events, so that a file that was cut off is known as
 * such. */
#include "predict/trace/trace_tables.h"
#include "predict/trace/trace_writer.h"
#include <stdlib.h>
#include <string.h>

enum tag { TAG_PROGRAM = 1, TAG_SITE, TAG_STACK, TAG_THREAD, TAG_OBJECT, TAG_EVENT, TAG_END, TAG_MEMORY, TAG_FUNCTION };

#define TEXT_MOST 4096

/* Fields of an event that may be missing. */
enum {
  HAS_ORDER = 1,
  HAS_FLAGS = 2,
  HAS_OBJECT = 4,
  HAS_SECOND = 8,
  HAS_STACK = 16,
  HAS_OTHER = 32,
  HAS_MEMORY = 64,
  HAS_VALUE = 128,
  HAS_CAUSE = 256
};

/* ---- writing ---- */

static void put_number(FILE *f, uint64_t n)
{
  for (; n >= 128; n >>= 7)
    putc_unlocked((int)(n & 127) | 128, f);
  putc_unlocked((int)n, f);
}

static void put_text(FILE *f, const char *text)
{
  size_t n = text ? strlen(text) : 0;
  n = n < TEXT_MOST ? n : TEXT_MOST;
  put_number(f, n);
  if (n)
    fwrite(text, 1, n, f);
}

static void put_origin(FILE *f, const struct origin *o)
{
  put_number(f, o->fixed);
  put_number(f, o->inside);
  put_number(f, o->index_length);
  put_number(f, o->chain_length);
  for (uint32_t i = 0; i < o->index_length; i++) {
    put_number(f, o->index[i].site);
    put_number(f, o->index[i].count);
  }
  for (uint32_t i = 0; i < o->chain_length; i++)
    put_number(f, o->chain[i]);
}

void trace_write_head(struct trace_writer *w, FILE *file, const char *program)
{
  *w = (struct trace_writer){.file = file};
  fputs(TRACE_MAGIC, file);
  put_number(file, TAG_PROGRAM);
  put_text(file, program);
}

void trace_write_site(struct trace_writer *w, const struct trace_site *site)
{
  put_number(w->file, TAG_SITE);
  put_text(w->file, site->module);
  put_number(w->file, site->offset);
  put_number(w->file, site->place);
  put_text(w->file, site->text);
}

void trace_write_stack(struct trace_writer *w, const struct trace_stack *stack)
{
  put_number(w->file, TAG_STACK);
  put_number(w->file, stack->depth);
  for (uint32_t i = 0; i < stack->depth; i++)
    put_number(w->file, stack->sites[i]);
}

void trace_write_thread(struct trace_writer *w, const struct trace_thread *thread)
{
  put_number(w->file, TAG_THREAD);
  put_number(w->file, thread->parent);
  put_number(w->file, thread->create);
  put_text(w->file, thread->text);
  put_origin(w->file, &thread->origin);
}

void trace_write_object(struct trace_writer *w, const struct trace_object *object)
{
  put_number(w->file, TAG_OBJECT);
  put_number(w->file, object->kind);
  put_number(w->file, object->type);
  put_number(w->file, object->generation);
  put_number(w->file, object->addr);
  put_text(w->file, object->text);
  put_origin(w->file, &object->origin);
}

void trace_write_memory(struct trace_writer *w, const struct trace_memory *memory)
{
  put_number(w->file, TAG_MEMORY);
  put_number(w->file, memory->addr);
  put_number(w->file, memory->length);
  put_text(w->file, memory->text);
}

void trace_write_function(struct trace_writer *w, const struct trace_function *function)
{
  put_number(w->file, TAG_FUNCTION);
  put_text(w->file, function->name);
  put_text(w->file, function->type);
}

static uint64_t zigzag(int64_t n)
{
  return (uint64_t)n << 1 ^ (uint64_t)(n >> 63);
}

static unsigned fields_of(const struct event *e)
{
  return (e->order ? HAS_ORDER : 0) | (e->flags ? HAS_FLAGS : 0) | (e->object ? HAS_OBJECT : 0) |
         (e->second ? HAS_SECOND : 0) | (e->stack ? HAS_STACK : 0) | (e->other ? HAS_OTHER : 0) |
         (e->addr || e->length ? HAS_MEMORY : 0) | (e->value ? HAS_VALUE : 0) | (e->cause ? HAS_CAUSE : 0);
}

void trace_write_event(struct trace_writer *w, const struct event *e)
{
  FILE *f = w->file;
  unsigned has = fields_of(e);
  put_number(f, TAG_EVENT);
  put_number(f, has);
  put_number(f, e->thread);
  put_number(f, e->op);
  put_number(f, e->site);
  const uint64_t optional[] = {e->order, e->flags, e->object, e->second, e->stack, e->other};
  for (unsigned i = 0; i < sizeof optional / sizeof optional[0]; i++)
    if (has & 1u << i)
      put_number(f, optional[i]);
  if (has & HAS_MEMORY) {
    put_number(f, zigzag((int64_t)(e->addr - w->last_addr)));
    put_number(f, e->length);
    w->last_addr = e->addr;
  }
  if (has & HAS_VALUE)
    put_number(f, e->value);
  if (has & HAS_CAUSE)
    put_number(f, e->cause);
  w->events++;
}

void trace_write_end(struct trace_writer *w)
{
  put_number(w->file, TAG_END);
  put_number(w->file, w->events);
}

/* ---- reading ---- */

/* The end of the file inside a record, or a number that cannot be. */
struct cursor {
  FILE *file;
  bool bad;
};

static uint64_t get_number(struct cursor *c)
{
  uint64_t n = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    int byte = getc_unlocked(c->file);
    if (byte == EOF)
      break;
    n |= (uint64_t)(byte & 127) << shift;
    if (byte < 128)
      return n;
  }
  c->bad = true;
  return 0;
}

/* Below the limit. */
static uint32_t get_index(struct cursor *c, uint64_t limit)
{
  uint64_t n = get_number(c);
  c->bad |= n >= limit && n != 0;
  return c->bad ? 0 : (uint32_t)n;
}

static const char *get_text(struct cursor *c, struct trace_reader *r)
{
  char text[TEXT_MOST + 1];
  uint32_t n = get_index(c, TEXT_MOST + 1);
  c->bad |= fread(text, 1, n, c->file) != n;
  text[c->bad ? 0 : n] = 0;
  return tables_text(r, text);
}

static void get_origin(struct cursor *c, struct origin *o)
{
  o->fixed = get_number(c);
  o->inside = get_number(c);
  o->index_length = get_index(c, ORIGIN_DEPTH + 1);
  o->chain_length = get_index(c, ORIGIN_DEPTH + 1);
  for (uint32_t i = 0; i < o->index_length; i++) {
    o->index[i].site = get_number(c);
    o->index[i].count = get_number(c);
  }
  for (uint32_t i = 0; i < o->chain_length; i++)
    o->chain[i] = get_number(c);
}

static void get_site(struct cursor *c, struct trace_reader *r)
{
  uint32_t i = tables_add_site(r);
  if (!i)
    return;
  r->sites[i].module = get_text(c, r);
  r->sites[i].offset = get_number(c);
  r->sites[i].place = get_number(c);
  r->sites[i].text = get_text(c, r);
}

static void get_stack(struct cursor *c, struct trace_reader *r)
{
  uint32_t i = tables_add_stack(r), depth = get_index(c, 4096);
  uint32_t *sites = calloc(depth + 1, sizeof *sites);
  r->failed |= !sites;
  if (!i || !sites) {
    free(sites);
    return;
  }
  for (uint32_t k = 0; k < depth; k++)
    sites[k] = get_index(c, r->tables.site_count);
  r->stacks[i] = (struct trace_stack){depth, sites};
}

static void get_thread(struct cursor *c, struct trace_reader *r)
{
  uint32_t i = tables_add_thread(r);
  if (!i)
    return;
  r->threads[i].parent = get_index(c, i);
  r->threads[i].create = get_index(c, r->tables.site_count);
  r->threads[i].text = get_text(c, r);
  get_origin(c, &r->threads[i].origin);
}

static void get_object(struct cursor *c, struct trace_reader *r)
{
  uint32_t i = tables_add_object(r);
  if (!i)
    return;
  struct trace_object *o = &r->objects[i];
  o->kind = (uint16_t)get_index(c, OBJECT_KIND_COUNT);
  o->type = (uint16_t)get_index(c, UINT16_MAX);
  o->generation = get_index(c, UINT32_MAX);
  o->addr = get_number(c);
  o->text = get_text(c, r);
  get_origin(c, &o->origin);
}

static void get_memory(struct cursor *c, struct trace_reader *r)
{
  uint32_t i = tables_add_memory(r);
  if (!i)
    return;
  r->memory[i].addr = get_number(c);
  r->memory[i].length = get_index(c, UINT32_MAX);
  r->memory[i].text = get_text(c, r);
}

static void get_function(struct cursor *c, struct trace_reader *r)
{
  uint32_t i = tables_add_function(r);
  if (!i)
    return;
  r->functions[i].name = get_text(c, r);
  r->functions[i].type = get_text(c, r);
}

static void get_event(struct cursor *c, struct trace_reader *r, struct event *e)
{
  const struct trace *t = &r->tables;
  uint64_t has = get_number(c);
  e->thread = get_index(c, t->thread_count);
  e->op = (uint16_t)get_index(c, OP_COUNT);
  e->site = get_index(c, t->site_count);
  e->order = has & HAS_ORDER ? (uint8_t)get_index(c, 256) : 0;
  e->flags = has & HAS_FLAGS ? (uint8_t)get_index(c, 256) : 0;
  e->object = has & HAS_OBJECT ? get_index(c, t->object_count) : 0;
  e->second = has & HAS_SECOND ? get_index(c, e->op == OP_CALL ? t->function_count : t->object_count) : 0;
  e->stack = has & HAS_STACK ? get_index(c, t->stack_count) : 0;
  e->other = has & HAS_OTHER ? get_index(c, t->thread_count) : 0;
  if (has & HAS_MEMORY) {
    uint64_t n = get_number(c);
    r->last_addr += (n >> 1) ^ -(n & 1);
    e->addr = r->last_addr;
    e->length = get_index(c, UINT32_MAX);
  }
  e->value = has & HAS_VALUE ? get_number(c) : 0;
  e->cause = has & HAS_CAUSE ? get_number(c) : 0;
  e->number = ++r->number;
  c->bad |= !e->thread;
}

bool binary_begin(struct trace_reader *r, char *error, size_t error_size)
{
  char magic[sizeof TRACE_MAGIC] = "";
  struct cursor c = {.file = r->file};
  if (fread(magic, 1, sizeof magic - 1, r->file) != sizeof magic - 1 || strcmp(magic, TRACE_MAGIC) != 0) {
    snprintf(error, error_size, "this is not a trace of heddle record");
    return false;
  }
  if (get_number(&c) == TAG_PROGRAM)
    r->tables.program = get_text(&c, r);
  if (c.bad || !r->tables.program)
    snprintf(error, error_size, "the trace is cut off");
  return !c.bad && r->tables.program;
}

static bool is_end(struct cursor *c, const struct trace_reader *r, char *error, size_t error_size)
{
  if (get_number(c) != r->number || c->bad)
    snprintf(error, error_size, "the trace is damaged: it counts other events than it has");
  return true;
}

bool binary_next(struct trace_reader *r, struct event *event, char *error, size_t error_size)
{
  struct cursor c = {.file = r->file};
  while (!c.bad && !r->failed) {
    switch (get_number(&c)) {
    case TAG_SITE:
      get_site(&c, r);
      break;
    case TAG_STACK:
      get_stack(&c, r);
      break;
    case TAG_THREAD:
      get_thread(&c, r);
      break;
    case TAG_OBJECT:
      get_object(&c, r);
      break;
    case TAG_MEMORY:
      get_memory(&c, r);
      break;
    case TAG_FUNCTION:
      get_function(&c, r);
      break;
    case TAG_EVENT:
      get_event(&c, r, event);
      if (!c.bad)
        return true;
      break;
    case TAG_END:
      return !is_end(&c, r, error, error_size);
    default:
      c.bad = true;
    }
  }
  if (c.bad)
    snprintf(error, error_size, "the trace is %s after %llu event%s", feof(r->file) ? "cut off" : "damaged",
             (unsigned long long)r->number, r->number == 1 ? "" : "s");
  return false;
}
