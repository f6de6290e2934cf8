/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked on the way to the creation as if there were a place for each thread: what stays from turn to turn is
 * asked to be 0 or NULL, and set; or a place is looked for, by a function or in place, and what came of it is asked
 * for.
 */
#include "lint/bounding_parts.h"
#include <stdio.h>
#include <string.h>

/* The variable that a member is of. */
static struct code_place root_of(const struct whole_program *p, struct code_place c)
{
  c = code_inside(p, c);
  for (;;) {
    const uint8_t kind = program_node(p, c)->kind;
    const struct code_place below = code_child(p, c, 0);
    if (!code_is(below) || (kind != SYNTAX_MEMBER && kind != SYNTAX_INDEX && kind != SYNTAX_UNARY))
      return c;
    c = code_inside(p, below);
  }
}

/* Whether a node, which nothing is below, is what a method is called of: `this`, or a member without an object. */
static bool is_of_this(const struct whole_program *p, struct code_place c)
{
  const struct syntax_node *n = program_node(p, c);
  return n->kind == SYNTAX_MEMBER ||
         (n->kind == SYNTAX_OTHER && !strcmp(syntax_text(program_syntax(p, c), n->text), "this"));
}

/* Whether a call makes an object. */
static bool makes_object(const struct whole_program *p, struct code_place call)
{
  const uint32_t above = p->unit[call.unit].parent[call.node];
  return above != SYNTAX_NONE && p->unit[call.unit].syntax.node[above].kind == SYNTAX_NEW;
}

/* Whether an object is of something that each turn has for itself. */
static bool is_of_turn(const struct judging *j, struct code_place c, unsigned level)
{
  const struct whole_program *p = j->program;
  struct c_object o;
  for (; level <= j->question->level && code_is(c); level++) {
    const struct code_place root = root_of(p, c);
    if (is_of_this(p, root) && level < j->question->level) {
      const struct code_place call = j->question->step[level + 1].code;
      if (makes_object(p, call))
        return true;
      c = code_child(p, call, 0);
      continue;
    }
    if (!object_of(p, root, &o) || o.symbol != PROGRAM_NONE)
      return false;
    const struct changes changes = changes_in_loop(j, &o, level);
    if (changes.called || changes.set)
      return true;
    c = argument_for(j, &o, level);
  }
  return false;
}

/* Whether the way to the creation sets it to something else than 0. */
static bool sets(const struct judging *j, const struct c_object *o)
{
  const struct changes c = changes_in_loop(j, o, j->question->level);
  return c.nonzero || c.called || c.set || c.up;
}

/* Whether a member is one of something that has just been made: `fresh = malloc(…); fresh->name = …`. */
static bool is_of_new(const struct judging *j, struct code_place c, unsigned level)
{
  struct c_object o;
  const struct code_place root = root_of(j->program, c);
  if (root.node == code_inside(j->program, c).node || !object_of(j->program, root, &o))
    return false;
  const struct changes changes = changes_in_loop(j, &o, level);
  return changes.instantiated && changes.instantiated == changes_sets(&changes);
}

/* Whether all that is set on the way is set of something new: then what is asked for is something else. */
static bool sets_of_new(const struct judging *j, const struct c_object *o)
{
  const struct whole_program *p = j->program;
  bool sets_one = false;
  for (unsigned level = 0; level <= j->question->level; level++)
    for (uint32_t i = j->stretch[level].from; i < j->stretch[level].to; i++) {
      const struct code_place at = {j->stretch[level].unit, i}, target = code_child(p, at, 0);
      if (program_node(p, at)->kind != SYNTAX_ASSIGN || !is_object(p, code_inside(p, target), o))
        continue;
      if (!is_of_new(j, target, level))
        return false;
      sets_one = true;
    }
  return sets_one;
}

/* A literal, with a sign or without, or an enumerator. */
static bool is_constant(const struct whole_program *p, struct code_place c)
{
  c = code_inside(p, c);
  const struct syntax_node *n = program_node(p, c);
  const struct code_place below = code_child(p, c, 0);
  if (n->kind == SYNTAX_UNARY && n->op == OPERATOR_SUB && code_is(below))
    return is_constant(p, below);
  return n->kind == SYNTAX_NUMBER ||
         (n->kind == SYNTAX_NAME && syntax_flags(program_syntax(p, c), n->symbol) & SYMBOL_ENUMERATOR);
}

/* What a simple condition wants to be free: `!busy`, `state == FREE`, `fd < 0`, `!slot[i]`; none: it wants nothing like
 * that. */
static struct code_place wanted_free(const struct whole_program *p, const struct condition *simple)
{
  const struct code_place none = {.node = PROGRAM_NONE};
  const enum syntax_operator op = condition_operator(p, simple);
  if (code_is(simple->value))
    return none;
  if (op == OPERATOR_NONE)
    return simple->negated ? simple->code : none;
  const bool free = op == OPERATOR_EQ || op == OPERATOR_LT || op == OPERATOR_LE;
  return free && is_constant(p, code_child(p, simple->code, 1)) ? code_child(p, simple->code, 0) : none;
}

/* Whether an element is asked for, of something that is not made for it, and one is set. */
static bool asks_for_element(const struct judging *j, struct code_place asked, unsigned level, struct c_object *o)
{
  const struct whole_program *p = j->program;
  const struct stretch s = j->stretch[level];
  if (program_node(p, asked)->kind != SYNTAX_INDEX || !object_of(p, code_child(p, asked, 0), o))
    return false;
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place at = {s.unit, i}, set = code_child(p, at, 0);
    if (program_node(p, at)->kind == SYNTAX_ASSIGN && program_node(p, code_inside(p, set))->kind == SYNTAX_INDEX &&
        is_object(p, code_child(p, code_inside(p, set), 0), o))
      return true;
  }
  return false;
}

/* `if (busy) return; busy = true;` and the like. */
bool asks_for_place(struct judging *j, const struct condition *simple, char *why)
{
  const struct whole_program *p = j->program;
  const struct code_place free = wanted_free(p, simple);
  if (!code_is(free) || is_of_turn(j, free, simple->level))
    return false;
  const struct code_place asked = code_inside(p, free);
  struct c_object o;
  if (!asks_for_element(j, asked, simple->level, &o) &&
      (!object_of(p, asked, &o) || o.symbol == PROGRAM_NONE || !sets(j, &o) || sets_of_new(j, &o)))
    return false;
  snprintf(why, REASON_SIZE, "'%s' is asked for and set (line %u)", syntax_name(&p->unit[o.unit].syntax, o.local),
           program_node(p, simple->code)->line);
  return true;
}

/* A parameter by itself, not what it points to: what is looked for is given. */
static bool names_parameter(const struct whole_program *p, struct code_place c)
{
  const struct program_unit *u = &p->unit[c.unit];
  for (uint32_t i = c.node; i < c.node + u->syntax.node[c.node].size; i++) {
    const uint8_t above = u->syntax.node[u->parent[i]].kind;
    if (u->syntax.node[i].kind == SYNTAX_NAME &&
        syntax_flags(&u->syntax, u->syntax.node[i].symbol) & SYMBOL_PARAMETER && above != SYNTAX_MEMBER &&
        above != SYNTAX_INDEX)
      return true;
  }
  return false;
}

/* Whether what is asked may change: a member, an element or a variable that some function sets, or what a function of
 * the program says. A table that stays as it was written has no places. */
static bool asks_what_changes(const struct whole_program *p, struct code_place asked)
{
  for (uint32_t i = asked.node; i < asked.node + program_node(p, asked)->size; i++) {
    const struct code_place c = {asked.unit, i};
    struct c_object o;
    size_t count = 0;
    if (called_function(p, c) != PROGRAM_NONE)
      return true;
    if (!object_of(p, c, &o) || o.symbol == PROGRAM_NONE)
      continue;
    const uint32_t *user = program_users(p, o.symbol, &count);
    for (size_t k = 0; k < count; k++) {
      struct changes changes = {0};
      changes_add(p, &o, stretch_of(p, user[k]), &changes);
      if (changes_sets(&changes) || changes.up || changes.down || changes.taken)
        return true;
    }
  }
  return false;
}

/* `if (found) break;`, of what the loop sets: another question decided it. */
static bool asks_what_was_found(const struct whole_program *p, struct code_place asked, struct stretch loop)
{
  struct c_object o;
  struct changes changes = {0};
  if (program_node(p, asked)->kind != SYNTAX_NAME || !object_of(p, asked, &o) || o.symbol != PROGRAM_NONE)
    return false;
  changes_add(p, &o, loop, &changes);
  return changes.set || changes.nonzero;
}

/* A loop that ends at an element of which it asks something that nobody gave. */
static bool finds_place(const struct whole_program *p, struct code_place loop)
{
  const struct stretch all = {loop.unit, loop.node, loop.node + program_node(p, loop)->size};
  for (uint32_t i = loop.node; i < loop.node + program_node(p, loop)->size; i++) {
    const struct code_place branch = {loop.unit, i};
    const struct code_place asked = code_child(p, branch, 0);
    if (program_node(p, branch)->kind != SYNTAX_IF || names_parameter(p, asked) ||
        !(asks_what_changes(p, asked) || asks_what_was_found(p, asked, all)))
      continue;
    for (uint32_t k = i; k < i + program_node(p, branch)->size; k++) {
      const uint8_t kind = program_node(p, (struct code_place){loop.unit, k})->kind;
      if (kind == SYNTAX_BREAK || kind == SYNTAX_RETURN || kind == SYNTAX_GOTO)
        return true;
    }
  }
  return false;
}

/* A function that walks through something up to a place, and makes nothing. */
static bool looks_for_place(const struct whole_program *p, uint32_t function)
{
  const uint64_t other = word_bit(WORD_INSTANTIATE) | word_bit(WORD_ACCEPT) | word_bit(WORD_INPUT);
  const struct stretch s = stretch_of(p, function);
  bool finds = false;
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    const struct syntax_node *n = program_node(p, c);
    if (n->kind == SYNTAX_NEW || (n->kind == SYNTAX_CALL && called_meaning(p, c) & other))
      return false;
    finds |= (n->kind == SYNTAX_FOR || n->kind == SYNTAX_WHILE) && finds_place(p, c);
  }
  return finds;
}

bool asks_for_found(struct judging *j, const struct condition *simple, char *why)
{
  const struct whole_program *p = j->program;
  struct c_object o;
  for (uint32_t i = simple->code.node; i < simple->code.node + program_node(p, simple->code)->size; i++) {
    const struct code_place c = {simple->code.unit, i};
    uint32_t callee = called_function(p, c);
    if (object_of(p, c, &o) && o.symbol == PROGRAM_NONE) {
      const struct changes changes = changes_in_loop(j, &o, simple->level);
      callee = changes.called ? called_function(p, changes.last_call) : PROGRAM_NONE;
    }
    if (callee == PROGRAM_NONE || !looks_for_place(p, callee))
      continue;
    snprintf(why, REASON_SIZE, "%s() looks for something, and is asked whether it has found it (line %u)",
             p->symbol[p->function[callee].symbol].name, program_node(p, simple->code)->line);
    return true;
  }
  return false;
}

/* `while (i < ROOM && table[i].used) i++; if (i == ROOM) …`: the same in place. */
bool asks_for_index(struct judging *j, const struct condition *simple, char *why)
{
  const struct whole_program *p = j->program;
  const struct lint_loop loop = loop_of_level(j, simple->level);
  const uint32_t call = j->question->step[simple->level].code.node;
  struct c_object o;
  if (condition_operator(p, simple) == OPERATOR_NONE || code_is(simple->value) ||
      !object_of(p, code_child(p, simple->code, 0), &o) || o.symbol != PROGRAM_NONE)
    return false;
  for (uint32_t i = loop.from; i < call; i++) {
    const struct code_place inner = {loop.unit, i};
    const struct syntax_node *n = program_node(p, inner);
    struct changes changes = {0};
    bool element = false;
    if ((n->kind != SYNTAX_FOR && n->kind != SYNTAX_WHILE) || i + n->size > call)
      continue;
    changes_add(p, &o, (struct stretch){loop.unit, i, i + n->size}, &changes);
    for (uint32_t k = i; k < i + n->size; k++) {
      const struct code_place index = {loop.unit, k};
      element |= program_node(p, index)->kind == SYNTAX_INDEX && is_object(p, code_child(p, index, 1), &o);
    }
    if (!changes.up || !element)
      continue;
    snprintf(why, REASON_SIZE, "a place is looked for with '%s' (line %u), and it is asked whether one was found",
             syntax_name(&p->unit[o.unit].syntax, o.local), n->line);
    return true;
  }
  return false;
}
