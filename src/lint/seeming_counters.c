/* SPDX-License-Identifier: Apache-2.0
 *
 * A number that goes up in the loop or in a thread, and down somewhere, and is compared with another, by the thread,
 * too: a limit, though no pattern says which.
 */
#include "lint/bounding_parts.h"
#include <stdio.h>
#include <string.h>

#define COUNTER_DEPTH 2 /* calls from the loop to what compares a counter */

/* By one: what is counted, not what is summed up. */
static bool is_step(const struct whole_program *p, struct code_place at)
{
  const struct syntax_node *n = program_node(p, at);
  const struct code_place by = code_child(p, at, 1);
  return n->kind != SYNTAX_ASSIGN || n->op == OPERATOR_NONE ||
         (program_node(p, by)->kind == SYNTAX_NUMBER &&
          !strcmp(syntax_text(program_syntax(p, by), program_node(p, by)->text), "1"));
}

/* Whether a function has that place in it. */
static bool has_place(const struct whole_program *p, uint32_t function, struct code_place c)
{
  const struct stretch s = stretch_of(p, function);
  return s.unit == c.unit && s.from <= c.node && c.node < s.to;
}

/* Whether the object goes up where the loop comes, in a thread, or in the function that compares it, and down
 * anywhere. */
static bool goes_both_ways(struct judging *j, const struct c_object *o, struct code_place compared)
{
  const struct whole_program *p = j->program;
  bool up = false, down = false;
  size_t count;
  if (o->symbol == PROGRAM_NONE || o->flags & SYMBOL_POINTER || !mark_reached(j))
    return false;
  const uint32_t *user = program_users(p, o->symbol, &count);
  for (size_t i = 0; i < count; i++) {
    struct changes c = {0};
    bool here = p->function[user[i]].runs_in_thread || j->reached[user[i]] || has_place(p, user[i], compared);
    for (unsigned level = 0; level <= j->question->level; level++)
      here |= j->question->step[level].function == user[i];
    changes_add(p, o, stretch_of(p, user[i]), &c);
    up |= here && c.up && is_step(p, c.last_up);
    down |= c.down && is_step(p, c.last_down);
  }
  return up && down;
}

/* Whether something below waits. */
static bool waits_below(const struct whole_program *p, struct stretch s)
{
  for (uint32_t i = s.from; i < s.to; i++) {
    size_t length;
    const struct code_place c = {s.unit, i};
    const char *name = program_node(p, c)->kind == SYNTAX_CALL ? called_name(p, c, &length) : NULL;
    if (name && (memmem(name, length, "wait", 4) || memmem(name, length, "sleep", 5)))
      return true;
  }
  return false;
}

static bool makes_below(const struct whole_program *p, struct stretch s)
{
  for (uint32_t i = s.from; i < s.to; i++)
    if (called_meaning(p, (struct code_place){s.unit, i}) & word_bit(WORD_INSTANTIATE))
      return true;
  return false;
}

/* Whether a comparison may be one with a limit: it is asked before something is done, or by a loop that waits; not if
 * there is more room then, as `if (count == room) realloc(…);`. With zero: only by a loop that waits. */
static bool may_limit(const struct whole_program *p, struct code_place c, bool with_zero)
{
  const struct program_unit *u = &p->unit[c.unit];
  uint32_t at = c.node;
  while (at != SYNTAX_NONE && u->syntax.node[at].kind >= SYNTAX_NAME)
    at = u->parent[at];
  if (at == SYNTAX_NONE)
    return false;
  const uint8_t kind = u->syntax.node[at].kind;
  const struct stretch all = {c.unit, at, at + u->syntax.node[at].size};
  if (kind == SYNTAX_WHILE || kind == SYNTAX_DO || kind == SYNTAX_FOR)
    return waits_below(p, all);
  return !with_zero && !(kind == SYNTAX_IF && makes_below(p, all));
}

/* `count + 1`, as `count`. */
static struct code_place without_constant(const struct whole_program *p, struct code_place c)
{
  c = code_inside(p, c);
  const struct syntax_node *n = program_node(p, c);
  if (n->kind != SYNTAX_BINARY || (n->op != OPERATOR_ADD && n->op != OPERATOR_SUB))
    return c;
  const struct code_place left = code_inside(p, code_child(p, c, 0)), right = code_inside(p, code_child(p, c, 1));
  return program_node(p, right)->kind == SYNTAX_NUMBER  ? left
         : program_node(p, left)->kind == SYNTAX_NUMBER ? right
                                                        : c;
}

/* What one side of a comparison counts: a counter, or one that an atomic function counts and gives. */
static bool counter_of(const struct whole_program *p, struct code_place asked, struct c_object *o)
{
  asked = without_constant(p, asked);
  const struct syntax_node *n = program_node(p, asked);
  if (n->kind == SYNTAX_UNARY)
    return object_of(p, code_child(p, asked, 0), o);
  if (n->kind != SYNTAX_CALL)
    return object_of(p, asked, o);
  size_t length;
  const char *name = called_name(p, asked, &length);
  for (unsigned i = 0; i < 2; i++) {
    const enum lint_word word = i ? WORD_SUBTRACT_ATOMIC : WORD_ADD_ATOMIC;
    if (!(called_meaning(p, asked) & word_bit(word)))
      continue;
    const unsigned argument = vocabulary_argument(p->vocabulary, word, name, length);
    const struct code_place given = code_child(p, asked, argument);
    return object_of(p, argument || !code_is(given) ? given : code_child(p, given, 0), o); /* 0: of a method */
  }
  return false;
}

#define LOOKS_MOST 80 /* nodes of a function that only looks at a counter */

/* Whether the value of the object is what the variable is given there. */
static bool is_given(const struct whole_program *p, struct code_place at, const struct c_object *variable,
                     const struct c_object *value)
{
  const struct syntax_node *n = program_node(p, at);
  const struct code_place to = n->kind == SYNTAX_ASSIGN ? code_child(p, at, 0) : at;
  const struct code_place from = code_child(p, at, n->kind == SYNTAX_ASSIGN ? 1 : 0);
  return (n->kind == SYNTAX_ASSIGN || n->kind == SYNTAX_VARIABLE) && code_is(from) && is_object(p, to, variable) &&
         is_object(p, from, value);
}

/* Whether a function returns what the object is, or a variable that it was copied to. */
static bool returns_object(const struct whole_program *p, struct stretch s, const struct c_object *o)
{
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i}, value = code_child(p, c, 0);
    struct c_object copy;
    if (program_node(p, c)->kind != SYNTAX_RETURN || !code_is(value))
      continue;
    if (is_object(p, value, o))
      return true;
    for (uint32_t k = s.from; object_of(p, value, &copy) && k < i; k++)
      if (is_given(p, (struct code_place){s.unit, k}, &copy, o))
        return true;
  }
  return false;
}

/* Whether something is put into the collection somewhere, and taken out of it. */
static bool comes_and_goes(const struct whole_program *p, uint32_t collection)
{
  char text[OBJECT_TEXT];
  bool comes = false, goes = false;
  size_t count;
  const uint32_t *user = program_users(p, collection, &count);
  for (size_t i = 0; i < count && !(comes && goes); i++) {
    const struct stretch s = stretch_of(p, user[i]);
    for (uint32_t node = s.from; node < s.to; node++) {
      const struct code_place c = {s.unit, node};
      if (program_node(p, c)->kind != SYNTAX_CALL)
        continue;
      comes |= object_of_word(p, c, WORD_ADD, text) && object_symbol(p, c, text) == collection;
      goes |= object_of_word(p, c, WORD_REMOVE, text) && object_symbol(p, c, text) == collection;
    }
  }
  return comes && goes;
}

/* `clients.size()`: of a collection that others come to and go from. */
static bool tells_size(const struct whole_program *p, struct code_place call, struct c_object *o)
{
  char text[OBJECT_TEXT];
  if (program_node(p, call)->kind != SYNTAX_CALL || !object_of_word(p, call, WORD_SIZE, text))
    return false;
  o->symbol = object_symbol(p, call, text);
  return o->symbol != PROGRAM_NONE && comes_and_goes(p, o->symbol);
}

/* `open_connections(server)`: a small function that looks at a counter, and counts nothing. */
static bool tells_counter(struct judging *j, struct code_place asked, struct code_place compared, struct c_object *o)
{
  const struct whole_program *p = j->program;
  const uint32_t callee = called_function(p, asked);
  if (callee == PROGRAM_NONE)
    return false;
  const struct stretch s = stretch_of(p, callee);
  if (s.to - s.from > LOOKS_MOST)
    return false;
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    struct changes changes = {0};
    if (program_node(p, c)->kind == SYNTAX_RETURN && code_is(code_child(p, c, 0)) &&
        tells_size(p, code_inside(p, code_child(p, c, 0)), o))
      return true;
    if (program_node(p, c)->kind != SYNTAX_MEMBER && program_node(p, c)->kind != SYNTAX_NAME)
      continue;
    if (!object_of(p, c, o) || !returns_object(p, s, o) || !goes_both_ways(j, o, compared))
      continue;
    changes_add(p, o, s, &changes);
    if (!changes.up && !changes.down)
      return true;
  }
  return false;
}

static bool compares_counter(struct judging *j, struct code_place c, char *why)
{
  const struct whole_program *p = j->program;
  const struct syntax_node *n = program_node(p, c);
  struct c_object o;
  if (n->kind != SYNTAX_BINARY || n->op < OPERATOR_LT || n->op > OPERATOR_NE)
    return false;
  for (unsigned side = 0; side < 2; side++) {
    if (side == 1 && (n->op == OPERATOR_LT || n->op == OPERATOR_GE))
      continue; /* `i < count`, `i >= count`: whether there is an element */
    const struct code_place asked = code_inside(p, code_child(p, c, side)), other = code_child(p, c, !side);
    if (!may_limit(p, c, is_literal_zero(p, other)))
      continue;
    if (!tells_size(p, asked, &o) && !tells_counter(j, asked, c, &o) &&
        (!counter_of(p, asked, &o) || !goes_both_ways(j, &o, c)))
      continue;
    snprintf(why, REASON_SIZE, "'%s' goes up and down and is compared (line %u)", p->symbol[o.symbol].name, n->line);
    return true;
  }
  return false;
}

/* Whether it matters what a function finds out: its value is used, or it waits. */
static bool decides(const struct whole_program *p, struct code_place call, uint32_t callee)
{
  const struct program_unit *u = &p->unit[call.unit];
  const struct stretch body = stretch_of(p, callee);
  const uint32_t above = u->parent[call.node];
  const uint8_t kind = u->syntax.node[above].kind;
  const bool asked = (kind == SYNTAX_IF || kind == SYNTAX_WHILE || kind == SYNTAX_SWITCH) && call.node == above + 1;
  return asked || kind >= SYNTAX_NAME || kind == SYNTAX_VARIABLE || kind == SYNTAX_RETURN || waits_below(p, body);
}

static bool compares_counters(struct judging *j, struct stretch s, unsigned depth, bool serves, char *why);

static bool gives_function(const struct whole_program *p, struct code_place call, uint32_t symbol)
{
  for (unsigned i = 1; code_is(code_child(p, call, i)); i++) {
    const uint32_t given = program_symbol_of(p, code_inside(p, code_child(p, call, i)));
    if (given != PROGRAM_NONE && p->symbol[given].flags & SYMBOL_FUNCTION &&
        (symbol == PROGRAM_NONE || given == symbol))
      return true;
  }
  return false;
}

/* Whether the thread may do the work: a function for all threads is given theirs on the way to the creation. */
static bool is_work(const struct judging *j, uint32_t symbol)
{
  bool given = false;
  for (unsigned level = 1; level <= j->question->level; level++) {
    const struct code_place call = j->question->step[level].code;
    if (gives_function(j->program, call, symbol))
      return true;
    given |= gives_function(j->program, call, PROGRAM_NONE);
  }
  return !given;
}

/* In any function that a call may call; serves: it is the work of the thread, and its end is that of the thread. */
static bool compares_below(struct judging *j, struct code_place call, unsigned depth, bool serves, char *why)
{
  const struct whole_program *p = j->program;
  const uint32_t callee = called_function(p, call);
  if (callee != PROGRAM_NONE && (serves || decides(p, call, callee)) &&
      compares_counters(j, stretch_of(p, callee), depth - 1, false, why))
    return true;
  size_t from = 0;
  for (uint32_t s;
       program_node(p, call)->kind == SYNTAX_CALL && (s = program_member_target(p, call, &from)) != PROGRAM_NONE;) {
    const uint32_t target = p->symbol[s].function;
    if (target != PROGRAM_NONE && (serves ? is_work(j, s) : decides(p, call, target)) &&
        compares_counters(j, stretch_of(p, target), depth - 1, false, why))
      return true;
  }
  return false;
}

/* In the stretch, or in functions that are called from there. */
static bool compares_counters(struct judging *j, struct stretch s, unsigned depth, bool serves, char *why)
{
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    if (compares_counter(j, c, why) || (depth && compares_below(j, c, depth, serves, why)))
      return true;
  }
  return false;
}
/* What the thread does: any function that is given on the way to the creation. */
static bool work_compares(struct judging *j, unsigned level, char *why)
{
  const struct whole_program *p = j->program;
  const struct code_place call = j->question->step[level].code;
  for (unsigned i = 1; code_is(code_child(p, call, i)); i++) {
    const uint32_t symbol = program_symbol_of(p, code_inside(p, code_child(p, call, i)));
    const uint32_t function = symbol == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[symbol].function;
    if (function != PROGRAM_NONE && p->symbol[symbol].flags & SYMBOL_FUNCTION &&
        compares_counters(j, stretch_of(p, function), 1, true, why))
      return true;
  }
  return false;
}

bool seems_counted(struct judging *j, unsigned level, char *why)
{
  return work_compares(j, level, why) || compares_counters(j, j->stretch[level], COUNTER_DEPTH, false, why);
}
