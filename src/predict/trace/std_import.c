/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading traces in the STD form, heddle's own and those of other tools; std.h says how they look.
 */
#include "file/input_file.h"
#include "predict/trace/grow_array.h"
#include "predict/trace/intern.h"
#include "predict/trace/std.h"
#include "predict/trace/std_fields.h"
#include "predict/trace/trace_tables.h"

#define NAME_BYTES 256
#define VARIABLES_FROM UINT64_C(0x100000) /* addresses of variables that have only a name, 8 bytes apart */

struct std_state {
  bool own;                                       /* heddle wrote it: names are numbers of the tables */
  uint64_t skip;                                  /* lines that say again what an #event said */
  struct intern threads, locks, variables, sites; /* names; the number of a name is that of its entry */
};

static bool wrong(const struct trace_reader *r, char *error, size_t error_size, const char *what)
{
  snprintf(error, error_size, "line %u: %s", r->line_number, what);
  return false;
}

/* ---- names ---- */

/* True if the name is new. Its number is 0 when it is too long or there is no memory. */
static bool new_name(struct trace_reader *r, struct intern *names, const char *name, uint32_t *number)
{
  uint32_t words[NAME_BYTES / sizeof(uint32_t)] = {0}, known = names->count;
  size_t length = strlen(name);
  *number = 0;
  if (length >= NAME_BYTES)
    return false;
  memcpy(words, name, length);
  *number = intern_number(names, words, (uint32_t)(length / sizeof *words) + 1);
  r->failed |= !*number;
  return *number > known;
}

/* What comes after the letter, for heddle's own names; 0 for what is not one. */
static uint32_t own_number(const char *name, char letter, uint32_t count)
{
  char *end;
  if (letter && *name++ != letter)
    return 0;
  unsigned long n = strtoul(name, &end, 10);
  return *end || n >= count ? 0 : (uint32_t)n;
}

static uint32_t thread_of(struct trace_reader *r, const char *name)
{
  uint32_t number, i;
  if (r->std->own)
    return own_number(name, 'T', r->tables.thread_count);
  if (new_name(r, &r->std->threads, name, &number) && (i = tables_add_thread(r))) {
    r->threads[i].text = tables_text(r, name);
    r->threads[i].origin.fixed = tables_own_name(name);
  }
  return number;
}

static uint32_t lock_of(struct trace_reader *r, const char *name)
{
  uint32_t number, i;
  if (r->std->own)
    return own_number(name, 'L', r->tables.object_count);
  if (new_name(r, &r->std->locks, name, &number) && (i = tables_add_object(r))) {
    r->objects[i].text = tables_text(r, name);
    r->objects[i].kind = OBJECT_MUTEX;
    r->objects[i].addr = VARIABLES_FROM / 2 + 64 * (uint64_t)i;
    r->objects[i].origin.fixed = tables_own_name(name);
  }
  return number;
}

static uint32_t site_of(struct trace_reader *r, const char *name)
{
  uint32_t number, i;
  if (r->std->own)
    return own_number(name, 0, r->tables.site_count);
  if (new_name(r, &r->std->sites, name, &number) && (i = tables_add_site(r))) {
    char *end;
    unsigned long long place = strtoull(name, &end, 10);
    r->sites[i].text = tables_text(r, name);
    r->sites[i].offset = *end ? i : place;
  }
  return number;
}

/* ---- lines of the six operations ---- */

static bool base_operation(const char *op, const char *what, struct trace_reader *r, struct event *e)
{
  uint32_t variable;
  if (!strcmp(op, "acq") || !strcmp(op, "rel")) {
    e->op = op[0] == 'a' ? OP_MUTEX_LOCK : OP_MUTEX_UNLOCK;
    return (e->object = lock_of(r, what));
  }
  if (!strcmp(op, "fork") || !strcmp(op, "join")) {
    e->op = op[0] == 'f' ? OP_CREATE : OP_JOIN;
    return (e->other = thread_of(r, what));
  }
  if (strcmp(op, "r") != 0 && strcmp(op, "w") != 0)
    return false;
  e->op = op[0] == 'r' ? OP_READ : OP_WRITE;
  e->length = 4;
  new_name(r, &r->std->variables, what, &variable);
  e->addr = VARIABLES_FROM + 8 * (uint64_t)variable;
  return variable;
}

static bool is_left_out(const char *op)
{
  static const char *const names[] = {"begin", "end", "enter", "exit", "branch", "dummy"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (!strcmp(op, names[i]))
      return true;
  return false;
}

struct base_line {
  char *thread, *op, *what, *place;
};

/* Takes the line apart; what may be empty. */
static bool split(char *line, struct base_line *b)
{
  b->thread = line;
  b->op = strchr(line, '|');
  b->place = b->op ? strchr(b->op + 1, '|') : NULL;
  if (!b->place || strchr(b->place + 1, '|'))
    return false;
  *b->op++ = *b->place++ = 0;
  size_t length = strlen(b->op);
  b->what = strchr(b->op, '(');
  if (!b->what)
    b->what = b->op + length;
  else if (b->op[length - 1] == ')')
    b->op[length - 1] = *b->what++ = 0;
  else
    return false;
  return *b->thread && *b->op && *b->place;
}

/* *found: there is an event. */
static bool read_base(struct trace_reader *r, struct event *e, bool *found, char *error, size_t error_size)
{
  struct base_line b;
  if (r->std->skip) {
    r->std->skip--;
    return true;
  }
  if (!split(r->line, &b))
    return wrong(r, error, error_size, "not THREAD|OPERATION(WHAT)|PLACE");
  if (is_left_out(b.op))
    return true;
  e->thread = thread_of(r, b.thread);
  if (!e->thread || !base_operation(b.op, b.what, r, e))
    return wrong(r, error, error_size, "no such operation, or unknown names");
  e->site = site_of(r, b.place);
  if (e->op == OP_CREATE && !r->std->own) {
    r->threads[e->other].parent = e->thread;
    r->threads[e->other].create = e->site;
  }
  e->number = ++r->number;
  return (*found = true);
}

/* ---- lines of heddle's own ---- */

/* Sets key and value to the next word KEY=VALUE, which is taken apart; false at the end. */
static bool next_field(char **rest, char **key, char **value)
{
  *key = strtok_r(*rest, " ", rest);
  if (!*key)
    return false;
  *value = strchr(*key, '=');
  if (*value)
    *(*value)++ = 0;
  return *value;
}

static char *unescape(char *text)
{
  char *to = text, byte[3] = "";
  for (const char *c = text; *c; c++) {
    bool escaped = c[0] == '%' && c[1] && c[2];
    if (escaped)
      memcpy(byte, c + 1, 2);
    *to++ = escaped ? (char)strtoul(byte, NULL, 16) : *c;
    c += escaped ? 2 : 0;
  }
  *to = 0;
  return text;
}

static void set_text(struct trace_reader *r, const char **field, char *value)
{
  free((void *)*field);
  *field = tables_text(r, unescape(value));
}

static void read_origin_field(struct origin *o, const char *key, char *value)
{
  char *rest = value, *word;
  if (!strcmp(key, "fixed"))
    o->fixed = strtoull(value, NULL, 0);
  else if (!strcmp(key, "inside"))
    o->inside = strtoull(value, NULL, 0);
  else if (!strcmp(key, "index"))
    while (o->index_length < ORIGIN_DEPTH && (word = strtok_r(rest, ",", &rest))) {
      char *count;
      o->index[o->index_length].site = strtoull(word, &count, 0);
      o->index[o->index_length++].count = *count ? strtoull(count + 1, NULL, 0) : 0;
    }
  else if (!strcmp(key, "chain"))
    while (o->chain_length < ORIGIN_DEPTH && (word = strtok_r(rest, ",", &rest)))
      o->chain[o->chain_length++] = strtoull(word, NULL, 0);
}

/* The entry of that number, which is there already or the next one; 0 if it is neither. */
static uint32_t entry(struct trace_reader *r, char **rest, uint32_t count, uint32_t (*add)(struct trace_reader *))
{
  const char *word = strtok_r(*rest, " ", rest);
  unsigned long n = word ? strtoul(word, NULL, 10) : 0;
  if (n && n == count)
    return add(r);
  return n < count ? (uint32_t)n : 0;
}

static bool read_site(struct trace_reader *r, char *rest)
{
  char *key, *value;
  uint32_t i = entry(r, &rest, r->tables.site_count, tables_add_site);
  while (i && next_field(&rest, &key, &value))
    if (!strcmp(key, "offset"))
      r->sites[i].offset = strtoull(value, NULL, 0);
    else if (!strcmp(key, "place"))
      r->sites[i].place = strtoull(value, NULL, 0);
    else if (!strcmp(key, "module"))
      set_text(r, &r->sites[i].module, value);
    else if (!strcmp(key, "text"))
      set_text(r, &r->sites[i].text, value);
  return i && r->sites[i].text;
}

static bool read_memory(struct trace_reader *r, char *rest)
{
  char *key, *value;
  uint32_t i = tables_add_memory(r);
  while (i && next_field(&rest, &key, &value))
    if (!strcmp(key, "addr"))
      r->memory[i].addr = strtoull(value, NULL, 0);
    else if (!strcmp(key, "length"))
      r->memory[i].length = (uint32_t)strtoul(value, NULL, 0);
    else if (!strcmp(key, "text"))
      set_text(r, &r->memory[i].text, value);
  return i && r->memory[i].text;
}

/* Numbers that are in no table would be followed by everybody who reads the trace. */
static bool read_stack(struct trace_reader *r, char *rest)
{
  uint32_t i = entry(r, &rest, r->tables.stack_count, tables_add_stack), room = 0;
  uint32_t *sites = NULL;
  char *word;
  bool known = true;
  if (!i || r->stacks[i].depth)
    return false;
  for (; (word = strtok_r(rest, ", ", &rest)); r->stacks[i].depth++) {
    if (!grow_array((void **)&sites, &room, r->stacks[i].depth, sizeof *sites)) {
      r->failed = true;
      break;
    }
    unsigned long site = strtoul(word, NULL, 10);
    known &= site < r->tables.site_count;
    sites[r->stacks[i].depth] = (uint32_t)site;
  }
  r->stacks[i].sites = sites;
  return known;
}

static bool read_thread(struct trace_reader *r, char *rest)
{
  char *key, *value;
  uint32_t i = entry(r, &rest, r->tables.thread_count, tables_add_thread);
  struct trace_thread *t = &r->threads[i];
  if (i)
    *t = (struct trace_thread){.text = t->text};
  while (i && next_field(&rest, &key, &value))
    if (!strcmp(key, "parent"))
      t->parent = (uint32_t)strtoul(value, NULL, 0);
    else if (!strcmp(key, "create"))
      t->create = (uint32_t)strtoul(value, NULL, 0);
    else if (!strcmp(key, "text"))
      set_text(r, &t->text, value);
    else
      read_origin_field(&t->origin, key, value);
  return i && t->text && t->parent < r->tables.thread_count && t->create < r->tables.site_count;
}

static bool read_object(struct trace_reader *r, char *rest)
{
  char *key, *value;
  uint32_t i = entry(r, &rest, r->tables.object_count, tables_add_object);
  struct trace_object *o = &r->objects[i];
  if (i)
    *o = (struct trace_object){.text = o->text};
  while (i && next_field(&rest, &key, &value))
    if (!strcmp(key, "kind"))
      o->kind = (uint16_t)strtoul(value, NULL, 0);
    else if (!strcmp(key, "type"))
      o->type = (uint16_t)strtoul(value, NULL, 0);
    else if (!strcmp(key, "generation"))
      o->generation = (uint32_t)strtoul(value, NULL, 0);
    else if (!strcmp(key, "addr"))
      o->addr = strtoull(value, NULL, 0);
    else if (!strcmp(key, "text"))
      set_text(r, &o->text, value);
    else
      read_origin_field(&o->origin, key, value);
  return i && o->text && o->kind < OBJECT_KIND_COUNT;
}

static bool read_function(struct trace_reader *r, char *rest)
{
  char *key, *value;
  uint32_t i = tables_add_function(r);
  while (i && next_field(&rest, &key, &value))
    if (!strcmp(key, "name"))
      set_text(r, &r->functions[i].name, value);
    else if (!strcmp(key, "type"))
      set_text(r, &r->functions[i].type, value);
  return i && r->functions[i].name && r->functions[i].type;
}

static bool in_tables(const struct trace *t, const struct event *e)
{
  uint32_t seconds = e->op == OP_CALL ? t->function_count : t->object_count;
  return e->thread && e->thread < t->thread_count && e->other < t->thread_count && e->object < t->object_count &&
         e->second < seconds && e->site < t->site_count && e->stack < t->stack_count;
}

static bool read_event(struct trace_reader *r, char *rest, struct event *e)
{
  char *key, *value;
  const char *name = strtok_r(rest, " ", &rest);
  enum op_kind op = name ? op_by_name(name) : OP_COUNT;
  if (op == OP_COUNT)
    return false;
  e->op = (uint16_t)op;
  e->number = r->number + 1;
  while (next_field(&rest, &key, &value)) {
    uint64_t number = strtoull(value, NULL, 0);
    if (!strcmp(key, "number"))
      e->number = number;
    else if (!strcmp(key, "lines"))
      r->std->skip = number;
#define X(field) else if (!strcmp(key, #field)) e->field = (__typeof__(e->field))number;
    STD_FIELDS(X)
#undef X
  }
  r->number = e->number;
  return in_tables(&r->tables, e);
}

static bool read_own(struct trace_reader *r, struct event *e, bool *found, char *error, size_t error_size)
{
  char *rest = r->line;
  const char *word = strtok_r(rest, " ", &rest);
  bool ok = true;
  if (!strcmp(word, "#event"))
    ok = *found = read_event(r, rest, e);
  else if (!strcmp(word, "#site"))
    ok = read_site(r, rest);
  else if (!strcmp(word, "#memory"))
    ok = read_memory(r, rest);
  else if (!strcmp(word, "#function"))
    ok = read_function(r, rest);
  else if (!strcmp(word, "#stack"))
    ok = read_stack(r, rest);
  else if (!strcmp(word, "#thread"))
    ok = read_thread(r, rest);
  else if (!strcmp(word, "#object"))
    ok = read_object(r, rest);
  else if (!strcmp(word, "#program") && (word = strtok_r(rest, " ", &rest)))
    set_text(r, &r->tables.program, (char *)word);
  return ok || wrong(r, error, error_size, "cannot be read");
}

/* ---- the reader ---- */

bool std_begin(struct trace_reader *r)
{
  struct base_line b;
  char start[2 * NAME_BYTES];
  bool read = fgets(start, sizeof start, r->file);
  rewind(r->file);
  if (read)
    start[strcspn(start, "\r\n")] = 0;
  bool own = read && !strcmp(start, STD_MAGIC);
  if (!own && !(read && split(start, &b)))
    return false;
  r->std = calloc(1, sizeof *r->std);
  r->failed |= !r->std;
  if (r->std)
    r->std->own = own;
  return r->std;
}

bool std_next(struct trace_reader *r, struct event *event, char *error, size_t error_size)
{
  bool found = false;
  while (input_line(&r->line, &r->line_size, r->file, NULL) >= 0) {
    r->line_number++;
    r->line[strcspn(r->line, "\r\n")] = 0;
    if (!r->line[0] || (r->line[0] == '#' && !r->std->own))
      continue;
    if (r->line[0] == '#' ? !read_own(r, event, &found, error, error_size)
                          : !read_base(r, event, &found, error, error_size))
      return false;
    if (found || r->failed)
      return found;
  }
  return false;
}

void std_end(struct trace_reader *r)
{
  if (!r->std)
    return;
  intern_free(&r->std->threads);
  intern_free(&r->std->locks);
  intern_free(&r->std->variables);
  intern_free(&r->std->sites);
  free(r->std);
}
