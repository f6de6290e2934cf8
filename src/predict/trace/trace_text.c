/* SPDX-License-Identifier: Apache-2.0
 *
 * The text form of a trace, which a person can write: the first line is `heddle-trace 1 text`, then an event a line:
 *
 *     THREAD OPERATION [OBJECT [SECOND]] [@ SITE] [KEY=VALUE …] [FLAG …]
 *
 *     main create T1 @ 10
 *     T1 mutex-lock L1 @ 15
 *     T1 cond-wait cv L1 @ 20
 *     T1 cond-wake cv L1 @ 20 cause=7
 *     T1 read x @ bank.c:22 value=3
 *     T1 mutex-trylock L2 failed
 *     T1 call c conn.send @ 30
 *
 * OPERATION is a name of core/operation.h. Threads, objects and sites come into being where they are first named;
 * memory is a name too (`x`, or `x+4`), eight bytes apart. Keys are cause, value, length, order (the number of an
 * __ATOMIC_ constant), stack (sites of the calls, innermost first: `stack=12,7`). A function that is called is named
 * with its type (`conn.send`), or is of the type that has no name. Flags are failed, nested, pending, hidden, timed.
 * `#` begins a comment.
 *
 * Where something was created is said by lines of their own, before it is first named: `origin NAME` and words,
 * `SITE*COUNT` for the index, innermost first, and `SITE` for the chain: `origin L1 11*1 6*1 3*1 11
 * 5`. */
#include "file/input_file.h"
#include "predict/trace/trace_tables.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 64
#define MEMORY_BASE UINT64_C(0x100000)

struct words {
  char *word[WORDS];
  unsigned count;
};

static bool wrong(struct trace_reader *r, char *error, size_t error_size, const char *what, const char *word)
{
  snprintf(error, error_size, "line %u: %s \"%s\"", r->line_number, what, word);
  return false;
}

static bool is_number(const char *text)
{
  size_t n = strspn(text, "0123456789");
  return n && !text[n];
}

static uint32_t site_named(struct trace_reader *r, const char *text)
{
  for (uint32_t i = 1; i < r->tables.site_count; i++)
    if (!strcmp(r->sites[i].text, text))
      return i;
  uint32_t i = tables_add_site(r);
  if (i) {
    r->sites[i].text = tables_text(r, text);
    r->sites[i].offset = is_number(text) ? strtoull(text, NULL, 10) : i;
    r->sites[i].place = r->sites[i].offset;
  }
  return i;
}

uint64_t tables_own_name(const char *text)
{
  uint64_t h = 1;
  while (*text)
    h = mix64(h ^ (unsigned char)*text++);
  return h | 1;
}

static uint32_t thread_named(struct trace_reader *r, const char *text)
{
  for (uint32_t i = 1; i < r->tables.thread_count; i++)
    if (!strcmp(r->threads[i].text, text))
      return i;
  uint32_t i = tables_add_thread(r);
  if (i) {
    r->threads[i].text = tables_text(r, text);
    r->threads[i].origin.fixed = tables_own_name(text);
  }
  return i;
}

static uint32_t object_named(struct trace_reader *r, const char *text, enum object_kind kind)
{
  for (uint32_t i = 1; i < r->tables.object_count; i++)
    if (!strcmp(r->objects[i].text, text)) {
      r->objects[i].kind = r->objects[i].kind ? r->objects[i].kind : (uint16_t)kind;
      return i;
    }
  uint32_t i = tables_add_object(r);
  if (i) {
    r->objects[i].text = tables_text(r, text);
    r->objects[i].kind = (uint16_t)kind;
    r->objects[i].addr = MEMORY_BASE / 2 + 64 * (uint64_t)i;
    r->objects[i].origin.fixed = tables_own_name(text);
  }
  return i;
}

static uint32_t function_named(struct trace_reader *r, const char *text)
{
  for (uint32_t i = 1; i < r->tables.function_count; i++)
    if (!strcmp(r->functions[i].name, text))
      return i;
  uint32_t i = tables_add_function(r);
  if (i) {
    char type[128];
    size_t n = strchr(text, '.') ? strcspn(text, ".") : 0;
    snprintf(type, sizeof type, "%.*s", (int)n, text);
    r->functions[i].name = tables_text(r, text);
    r->functions[i].type = tables_text(r, type);
  }
  return i;
}

/* Memory has no entries but a place: `x`, `x+4`. */
static uint64_t address_of(struct trace_reader *r, char *word)
{
  char *plus = strchr(word, '+');
  uint64_t offset = plus ? strtoull(plus + 1, NULL, 10) : 0;
  if (plus)
    *plus = 0;
  uint32_t name = object_named(r, word, OBJECT_MEMORY);
  return MEMORY_BASE + 8 * (uint64_t)name + offset;
}

static void read_origin(struct trace_reader *r, const struct words *w)
{
  struct origin o = {0};
  bool thread = w->word[1][0] == 'T' || !strcmp(w->word[1], "main");
  for (unsigned i = 2; i < w->count; i++) {
    char *star = strchr(w->word[i], '*');
    if (star)
      *star = 0;
    uint32_t named = site_named(r, w->word[i]);
    uint64_t site = r->sites[named].offset;
    if (star && o.index_length < ORIGIN_DEPTH) {
      o.index[o.index_length].site = site;
      o.index[o.index_length++].count = strtoull(star + 1, NULL, 10);
    } else if (!star && o.chain_length < ORIGIN_DEPTH) {
      o.chain[o.chain_length++] = site;
    }
  }
  uint32_t named = thread ? thread_named(r, w->word[1]) : object_named(r, w->word[1], OBJECT_NOTHING);
  if (thread)
    r->threads[named].origin = o;
  else
    r->objects[named].origin = o;
}

static bool read_flag(const char *word, struct event *e)
{
  static const char *const flags[] = {"failed", "nested", "pending", "hidden", "timed"};
  for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++)
    if (!strcmp(word, flags[i])) {
      e->flags |= (uint8_t)(1u << i);
      return true;
    }
  return false;
}

static bool read_key(const char *word, struct event *e)
{
  const char *equals = strchr(word, '=');
  uint64_t value = equals ? strtoull(equals + 1, NULL, 0) : 0;
  if (!equals)
    return false;
  if (!strncmp(word, "cause=", 6))
    e->cause = value;
  else if (!strncmp(word, "value=", 6))
    e->value = value, e->flags |= EVENT_VALUE;
  else if (!strncmp(word, "length=", 7))
    e->length = (uint32_t)value;
  else if (!strncmp(word, "order=", 6))
    e->order = (uint8_t)value;
  else
    return false;
  return true;
}

/* `12,7`: the entry of the table for these calls. */
static uint32_t stack_of(struct trace_reader *r, char *text)
{
  uint32_t sites[WORDS], depth = 0;
  char *rest = text, *word;
  while (depth < WORDS && (word = strtok_r(rest, ",", &rest)))
    sites[depth++] = site_named(r, word);
  for (uint32_t i = 1; i < r->tables.stack_count; i++)
    if (r->stacks[i].depth == depth && !memcmp(r->stacks[i].sites, sites, depth * sizeof *sites))
      return i;
  uint32_t *copy = malloc(sizeof sites), i = copy ? tables_add_stack(r) : 0;
  if (!i) {
    r->failed = true;
    free(copy);
    return 0;
  }
  memcpy(copy, sites, depth * sizeof *sites);
  r->stacks[i] = (struct trace_stack){.depth = depth, .sites = copy};
  return i;
}

static void read_operand(struct trace_reader *r, char *word, bool second, struct event *e)
{
  enum object_kind kind = op_table[e->op].object;
  if (second && e->op == OP_CALL)
    e->second = function_named(r, word);
  else if (second)
    e->second = object_named(r, word, OBJECT_MUTEX);
  else if (kind == OBJECT_THREAD)
    e->other = thread_named(r, word);
  else if (kind == OBJECT_MEMORY)
    e->addr = address_of(r, word);
  else
    e->object = object_named(r, word, kind);
}

static bool read_event(struct trace_reader *r, const struct words *w, struct event *e, char *error, size_t size)
{
  enum op_kind op = w->count > 1 ? op_by_name(w->word[1]) : OP_COUNT;
  unsigned operands = 0;
  if (op == OP_COUNT)
    return wrong(r, error, size, "no such operation:", w->count > 1 ? w->word[1] : "");
  e->thread = thread_named(r, w->word[0]);
  e->op = (uint16_t)op;
  e->length = op_is_memory(op) ? 4 : 0;
  for (unsigned i = 2; i < w->count; i++) {
    if (!strcmp(w->word[i], "@") && i + 1 < w->count)
      e->site = site_named(r, w->word[++i]);
    else if (!strncmp(w->word[i], "stack=", 6))
      e->stack = stack_of(r, w->word[i] + 6);
    else if (!read_flag(w->word[i], e) && !read_key(w->word[i], e)) {
      if (operands == 2)
        return wrong(r, error, size, "one word too many:", w->word[i]);
      read_operand(r, w->word[i], operands++ == 1, e);
    }
  }
  if (op == OP_CREATE && e->other) {
    r->threads[e->other].parent = e->thread;
    r->threads[e->other].create = e->site;
  }
  e->number = ++r->number;
  return true;
}

static void split(char *line, struct words *w)
{
  char *rest = line, *word;
  line[strcspn(line, "#\n")] = 0;
  w->count = 0;
  while (w->count < WORDS && (word = strtok_r(rest, " \t", &rest)))
    w->word[w->count++] = word;
}

bool text_next(struct trace_reader *r, struct event *event, char *error, size_t error_size)
{
  struct words w;
  while (input_line(&r->line, &r->line_size, r->file, NULL) >= 0) {
    split(r->line, &w);
    if (++r->line_number == 1 || !w.count)
      continue;
    if (strcmp(w.word[0], "origin") != 0 || w.count < 2)
      return read_event(r, &w, event, error, error_size);
    read_origin(r, &w);
  }
  return false;
}
