/* SPDX-License-Identifier: Apache-2.0
 *
 * Putting units together; see the header.
 */
#include "lint/whole_program.h"
#include "core/hash.h"
#include "lint/pointer_calls.h"
#include "lint/virtual_calls.h"
#include <stdlib.h>
#include <string.h>

void program_open(struct whole_program *p, const struct vocabulary *vocabulary)
{
  *p = (struct whole_program){.vocabulary = vocabulary};
}

void program_close(struct whole_program *p)
{
  for (size_t i = 0; i < p->units; i++) {
    syntax_close(&p->unit[i].syntax);
    free(p->unit[i].parent);
    free(p->unit[i].symbol);
  }
  free(p->unit);
  free(p->symbol);
  free(p->function);
  free(p->call);
  free(p->pointer_call);
  free(p->user);
  free(p->user_from);
  free(p->taken);
  free(p->override);
  free(p->taken_by_type);
  free(p->slot);
  free(p->macro);
  *p = (struct whole_program){0};
}

static bool grow(struct whole_program *p, void *list, size_t count, size_t *room, size_t size)
{
  if (count < *room)
    return true;
  const size_t more = *room ? 2 * *room : 256;
  void *grown = more < UINT32_MAX ? realloc(*(void **)list, more * size) : NULL;
  p->failed |= !grown;
  if (!grown)
    return false;
  *(void **)list = grown;
  *room = more;
  return true;
}

/* ---- symbols ---- */

static uint32_t *slot_of(const struct whole_program *p, uint64_t id)
{
  size_t at = mix64(id) & (p->slots - 1);
  while (p->slot[at] && p->symbol[p->slot[at] - 1].id != id)
    at = (at + 1) & (p->slots - 1);
  return &p->slot[at];
}

static bool grow_slots(struct whole_program *p)
{
  if (2 * (size_t)p->symbols < p->slots)
    return true;
  const size_t slots = p->slots ? 2 * p->slots : 4096;
  uint32_t *slot = calloc(slots, sizeof *slot);
  p->failed |= !slot;
  if (!slot)
    return false;
  free(p->slot);
  p->slot = slot;
  p->slots = slots;
  for (uint32_t i = 0; i < p->symbols; i++)
    *slot_of(p, p->symbol[i].id) = i + 1;
  return true;
}

static uint32_t add_symbol(struct whole_program *p, const struct syntax *unit, const struct syntax_symbol *s)
{
  if (!grow_slots(p) || !grow(p, &p->symbol, p->symbols, &p->symbol_room, sizeof *p->symbol))
    return PROGRAM_NONE;
  uint32_t *slot = slot_of(p, s->id);
  if (!*slot) {
    const char *name = syntax_text(unit, s->name);
    *slot = p->symbols + 1;
    p->symbol[p->symbols++] = (struct program_symbol){
        .id = s->id,
        .name = name,
        .type = syntax_text(unit, s->type),
        .flags = s->flags,
        .function = PROGRAM_NONE,
        .meaning = s->flags & SYMBOL_FUNCTION ? vocabulary_meaning(p->vocabulary, name, strlen(name)) : 0,
    };
  }
  p->symbol[*slot - 1].flags |= s->flags & SYMBOL_ATOMIC; /* by how some unit uses it */
  return *slot - 1;
}

/* ---- what is in a function ---- */

/* Where a function goes whose address is taken: up to what it is assigned to, given to, or an initial value of. */
static void note_address(struct whole_program *p, uint32_t unit, uint32_t node, uint32_t function)
{
  const struct program_unit *u = &p->unit[unit];
  struct address_taken t = {.symbol = u->symbol[u->syntax.node[node].symbol],
                            .holder = PROGRAM_NONE,
                            .given_to = PROGRAM_NONE,
                            .code = {unit, node},
                            .function = function};
  for (uint32_t at = u->parent[node]; at != SYNTAX_NONE; at = u->parent[at]) {
    const struct syntax_node *n = &u->syntax.node[at];
    if (n->kind == SYNTAX_ASSIGN) {
      const struct syntax_node *left = &u->syntax.node[at + 1];
      if (left->symbol != SYNTAX_NONE && u->syntax.symbol[left->symbol].flags & SYMBOL_FIELD)
        t.holder = u->symbol[left->symbol];
      break;
    }
    if (n->kind == SYNTAX_CALL) {
      t.argument = argument_number(u, at, node);
      if (!t.argument)
        return; /* what is called */
      t.given_to = n->symbol == SYNTAX_NONE ? PROGRAM_NONE : u->symbol[n->symbol];
      break;
    }
    if (n->kind < SYNTAX_NAME)
      break;
  }
  if (grow(p, &p->taken, p->takens, &p->taken_room, sizeof *p->taken))
    p->taken[p->takens++] = t;
}

/* A call, or a lambda that is called where it stands. */
static void note_call(struct whole_program *p, uint32_t unit, uint32_t node, uint32_t function)
{
  const struct program_unit *u = &p->unit[unit];
  const uint32_t symbol = u->syntax.node[node].symbol;
  if (symbol == SYNTAX_NONE || !grow(p, &p->call, p->calls, &p->call_room, sizeof *p->call))
    return;
  p->call[p->calls++] = (struct lint_call){.callee = u->symbol[symbol],
                                           .function = function,
                                           .code = {unit, node},
                                           .may = !(u->syntax.symbol[symbol].flags & SYMBOL_FUNCTION)};
  const uint64_t meaning = u->symbol[symbol] == PROGRAM_NONE ? 0 : p->symbol[u->symbol[symbol]].meaning;
  p->function[function].takes_lock |= (meaning & word_bit(WORD_LOCK)) != 0;
  p->function[function].gives_lock |= (meaning & word_bit(WORD_UNLOCK)) != 0;
}

static void read_body(struct whole_program *p, uint32_t function)
{
  const struct program_function *f = &p->function[function];
  const uint32_t unit = f->unit, from = f->node, to = from + p->unit[unit].syntax.node[from].size;
  for (uint32_t i = from; i < to; i++) {
    const struct syntax_node *n = &p->unit[unit].syntax.node[i];
    const bool names = n->kind == SYNTAX_NAME || n->kind == SYNTAX_LAMBDA;
    if (n->kind == SYNTAX_CALL || (n->kind == SYNTAX_LAMBDA && lambda_runs_here(p, (struct code_place){unit, i})))
      note_call(p, unit, i, function);
    if (names && syntax_flags(&p->unit[unit].syntax, n->symbol) & SYMBOL_FUNCTION)
      note_address(p, unit, i, function);
  }
}

/* Of a header that several units include it is one function. */
static bool is_known(const struct whole_program *p, const struct program_function *f, uint32_t line)
{
  for (uint32_t at = p->symbol[f->symbol].function; at != PROGRAM_NONE; at = p->function[at].other) {
    const struct program_function *known = &p->function[at];
    if (!strcmp(known->file, f->file) && p->unit[known->unit].syntax.node[known->node].line == line)
      return true;
  }
  return false;
}

static void add_function(struct whole_program *p, uint32_t unit, const struct syntax_function *s)
{
  const struct program_unit *u = &p->unit[unit];
  struct program_function f = {.unit = unit,
                               .node = s->node,
                               .symbol = u->symbol[s->symbol],
                               .last = s->last,
                               .other = PROGRAM_NONE,
                               .file = syntax_text(&u->syntax, s->file),
                               .is_variable = u->syntax.node[s->node].kind != SYNTAX_FUNCTION};
  if (f.symbol == PROGRAM_NONE || is_known(p, &f, u->syntax.node[s->node].line) ||
      !grow(p, &p->function, p->functions, &p->function_room, sizeof *p->function))
    return;
  const uint32_t first = p->symbol[f.symbol].function;
  if (first == PROGRAM_NONE) {
    p->symbol[f.symbol].function = p->functions;
  } else {
    f.other = p->function[first].other;
    p->function[first].other = p->functions;
  }
  p->function[p->functions++] = f;
  read_body(p, p->functions - 1);
}

/* ---- names of macros ---- */

static bool grow_macros(struct whole_program *p)
{
  if (2 * p->macros < p->macro_slots)
    return true;
  const size_t slots = p->macro_slots ? 2 * p->macro_slots : 1024;
  struct macro_meaning *grown = calloc(slots, sizeof *grown);
  p->failed |= !grown;
  if (!grown)
    return false;
  for (size_t i = 0; i < p->macro_slots; i++) {
    size_t at = p->macro[i].name & (slots - 1);
    while (p->macro[i].name && grown[at].name)
      at = (at + 1) & (slots - 1);
    if (p->macro[i].name)
      grown[at] = p->macro[i];
  }
  free(p->macro);
  p->macro = grown;
  p->macro_slots = slots;
  return true;
}

static void note_macro(struct whole_program *p, struct code_place c)
{
  size_t length;
  const char *name = program_node(p, c)->kind == SYNTAX_CALL ? "" : called_name(p, c, &length);
  if (!*name || !length || !grow_macros(p))
    return;
  struct macro_meaning *m = macro_meaning_of(p, name, length);
  if (!m->name) {
    *m = (struct macro_meaning){macro_hash(name, length), vocabulary_meaning(p->vocabulary, name, length)};
    p->macros++;
  }
}

static bool fill_unit(struct whole_program *p, struct program_unit *u)
{
  const struct syntax *s = &u->syntax;
  u->parent = malloc((s->nodes + 1) * sizeof *u->parent);
  u->symbol = malloc((s->symbols + 1) * sizeof *u->symbol);
  if (!u->parent || !u->symbol)
    return false;
  for (uint32_t i = 0; i < s->symbols; i++)
    u->symbol[i] = s->symbol[i].flags & (SYMBOL_LOCAL | SYMBOL_PARAMETER | SYMBOL_LABEL)
                       ? PROGRAM_NONE
                       : add_symbol(p, s, &s->symbol[i]);
  memset(u->parent, 0xff, s->nodes * sizeof *u->parent);
  for (uint32_t i = 0; i < s->nodes; i++)
    for (uint32_t child = i + 1; child < i + s->node[i].size; child += s->node[child].size)
      u->parent[child] = i;
  return true;
}

static void add_override(struct whole_program *p, const struct program_unit *u, const struct syntax_override *o)
{
  if (grow(p, &p->override, p->overrides, &p->override_room, sizeof *p->override))
    p->override[p->overrides++] = (struct method_override){u->symbol[o->method], u->symbol[o->overridden]};
}

void program_add(struct whole_program *p, struct syntax *unit)
{
  if (!grow(p, &p->unit, p->units, &p->unit_room, sizeof *p->unit)) {
    syntax_close(unit);
    return;
  }
  struct program_unit *u = &p->unit[p->units++];
  *u = (struct program_unit){.syntax = *unit};
  *unit = (struct syntax){0};
  p->failed |= !fill_unit(p, u);
  for (uint32_t i = 0; !p->failed && i < u->syntax.nodes; i++)
    note_macro(p, (struct code_place){(uint32_t)(p->units - 1), i});
  for (uint32_t i = 0; !p->failed && i < u->syntax.functions; i++)
    add_function(p, (uint32_t)(p->units - 1), &u->syntax.function[i]);
  for (uint32_t i = 0; !p->failed && i < u->syntax.overrides; i++)
    add_override(p, u, &u->syntax.override[i]);
}

/* ---- all together ---- */

int by_callee(const void *left, const void *right)
{
  const struct lint_call *a = left, *b = right;
  if (a->callee != b->callee)
    return a->callee < b->callee ? -1 : 1;
  if (a->code.unit != b->code.unit)
    return a->code.unit < b->code.unit ? -1 : 1;
  return a->code.node < b->code.node ? -1 : a->code.node > b->code.node;
}

/* Of calls by callee. */
static const struct lint_call *calls_of(const struct lint_call *call, size_t calls, uint32_t callee, size_t *count)
{
  size_t low = 0, high = calls;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (call[middle].callee < callee)
      low = middle + 1;
    else
      high = middle;
  }
  for (*count = 0; low + *count < calls && call[low + *count].callee == callee;)
    ++*count;
  return call + low;
}

const struct lint_call *program_calls(const struct whole_program *p, uint32_t callee, size_t *count)
{
  return calls_of(p->call, p->calls, callee, count);
}

const struct lint_call *program_pointer_calls(const struct whole_program *p, uint32_t callee, size_t *count)
{
  return calls_of(p->pointer_call, p->pointer_calls, callee, count);
}

void program_reach(const struct whole_program *p, uint32_t function, unsigned depth, unsigned char *reached)
{
  if (reached[function] > depth)
    return;
  reached[function] = (unsigned char)(depth + 1); /* how much further from there it was followed */
  const struct program_function *f = &p->function[function];
  const struct program_unit *u = &p->unit[f->unit];
  for (uint32_t i = f->node; depth && i < f->node + u->syntax.node[f->node].size; i++) {
    const struct syntax_node *n = &u->syntax.node[i];
    const bool calls =
        n->kind == SYNTAX_CALL || (n->kind == SYNTAX_LAMBDA && lambda_runs_here(p, (struct code_place){f->unit, i}));
    const uint32_t callee = calls && n->symbol != SYNTAX_NONE ? u->symbol[n->symbol] : PROGRAM_NONE;
    const uint32_t meant = callee == PROGRAM_NONE ? PROGRAM_NONE : program_definition(p, callee, function);
    if (meant != PROGRAM_NONE)
      program_reach(p, meant, depth - 1, reached);
  }
}

#define THREAD_DEPTH 8 /* calls below the function of a thread */

static void mark_threads(struct whole_program *p)
{
  unsigned char *reached = calloc(p->functions + 1, 1);
  p->failed |= !reached;
  for (size_t i = 0; reached && i < p->takens; i++) {
    const struct address_taken *t = &p->taken[i];
    const uint32_t function = p->symbol[t->symbol].function;
    if (t->given_to != PROGRAM_NONE && p->symbol[t->given_to].meaning & word_bit(WORD_THREAD) &&
        function != PROGRAM_NONE)
      program_reach(p, function, THREAD_DEPTH, reached);
  }
  for (uint32_t i = 0; reached && i < p->functions; i++)
    p->function[i].runs_in_thread = reached[i];
  free(reached);
}

static int by_symbol(const void *left, const void *right)
{
  const struct address_taken *a = left, *b = right;
  if (a->symbol != b->symbol)
    return a->symbol < b->symbol ? -1 : 1;
  if (a->code.unit != b->code.unit)
    return a->code.unit < b->code.unit ? -1 : 1;
  return a->code.node < b->code.node ? -1 : a->code.node > b->code.node;
}

/* Counts the function for each variable and member that it names, once, and puts it where that one's are; `seen` has
 * the last function for each symbol. */
static void each_named(const struct whole_program *p, uint32_t function, uint32_t *seen, uint32_t *at, uint32_t *user)
{
  const struct program_function *f = &p->function[function];
  const struct program_unit *u = &p->unit[f->unit];
  for (uint32_t i = f->node; i < f->node + u->syntax.node[f->node].size; i++) {
    const uint32_t local = u->syntax.node[i].symbol, symbol = local == SYNTAX_NONE ? PROGRAM_NONE : u->symbol[local];
    if (symbol == PROGRAM_NONE || !(p->symbol[symbol].flags & (SYMBOL_FIELD | SYMBOL_GLOBAL)) ||
        seen[symbol] == function + 1)
      continue;
    seen[symbol] = function + 1;
    if (user)
      user[at[symbol]] = function;
    at[symbol]++;
  }
}

/* Counted first, then put into their places. */
static void list_users(struct whole_program *p)
{
  uint32_t *seen = calloc(p->symbols + 1, sizeof *seen), *at = calloc(p->symbols + 1, sizeof *at);
  p->user_from = calloc((size_t)p->symbols + 2, sizeof *p->user_from);
  p->failed |= !seen || !at || !p->user_from;
  for (uint32_t i = 0; !p->failed && i < p->functions; i++)
    each_named(p, i, seen, at, NULL);
  for (uint32_t i = 0; !p->failed && i < p->symbols; i++) {
    p->user_from[i + 1] = p->user_from[i] + at[i];
    at[i] = p->user_from[i];
    seen[i] = 0;
  }
  p->user = p->failed ? NULL : malloc(((size_t)p->user_from[p->symbols] + 1) * sizeof *p->user);
  p->failed |= !p->user;
  for (uint32_t i = 0; !p->failed && i < p->functions; i++)
    each_named(p, i, seen, at, p->user);
  free(seen);
  free(at);
}

/* Headers of the system are not of the program. */
static void note_folder(struct whole_program *p)
{
  const char *first = NULL;
  for (uint32_t i = 0; i < p->functions; i++) {
    const char *file = p->function[i].file;
    if (!strncmp(file, "/usr/", 5))
      continue;
    size_t common = 0;
    for (size_t k = 0; first && k < p->folder && file[k] == first[k]; k++)
      if (file[k] == '/')
        common = k + 1;
    if (!first) {
      first = file;
      common = strrchr(file, '/') ? (size_t)(strrchr(file, '/') - file) + 1 : 0;
    }
    p->folder = common;
  }
}

bool program_finish(struct whole_program *p)
{
  virtual_calls_settle(p);
  if (p->calls)
    qsort(p->call, p->calls, sizeof *p->call, by_callee);
  if (p->takens)
    qsort(p->taken, p->takens, sizeof *p->taken, by_symbol);
  p->failed |= !pointer_calls_list(p);
  list_users(p);
  mark_threads(p);
  note_folder(p);
  return !p->failed;
}
