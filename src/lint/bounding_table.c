/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 7 once more: a table that has a place for each thread. A free place is looked for before the creation,
 *
 *   for (i = 0; i < MOST; i++)
 *     if (!connection[i])
 *       break;
 *
 * there or in a function that is called for it, and what came of it decides whether the thread is created. Or it is
 * created right there, if the place is free. A list that is looked through is no table: somebody may let it grow.
 */
#include "lint/bounding_parts.h"
#include <stdio.h>

static bool is_below(const struct whole_program *p, struct code_place c, uint8_t kind)
{
  for (uint32_t i = c.node; i < c.node + program_node(p, c)->size; i++)
    if (program_node(p, (struct code_place){c.unit, i})->kind == kind)
      return true;
  return false;
}

static bool is_constant(const struct whole_program *p, struct code_place c)
{
  for (uint32_t i = c.node; i < c.node + program_node(p, c)->size; i++) {
    const struct syntax_node *n = program_node(p, (struct code_place){c.unit, i});
    const bool name = n->kind == SYNTAX_NAME && !(syntax_flags(program_syntax(p, c), n->symbol) & SYMBOL_ENUMERATOR);
    if (name || n->kind == SYNTAX_MEMBER || n->kind == SYNTAX_CALL)
      return false;
  }
  return true;
}

/* Whether an expression is about an element of a table: what changes from turn to turn of the loop is in it. */
static bool is_element(const struct whole_program *p, struct code_place c, struct stretch step)
{
  struct c_object o;
  for (uint32_t i = c.node; i < c.node + program_node(p, c)->size; i++) {
    const struct code_place at = {c.unit, i};
    struct changes changes = {0};
    if (program_node(p, at)->kind != SYNTAX_NAME || !object_of(p, at, &o))
      continue;
    changes_add(p, &o, step, &changes);
    if (changes.up || changes.down)
      return is_below(p, c, SYNTAX_INDEX) || is_below(p, c, SYNTAX_MEMBER);
  }
  return false;
}

/* `!t[i]`, `t[i].state == FREE`, also as a part of more. */
static bool asks_free(const struct whole_program *p, struct code_place c, struct stretch step)
{
  const struct syntax_node *n = program_node(p, c);
  const struct code_place left = code_child(p, c, 0), right = code_child(p, c, 1);
  if (n->kind == SYNTAX_MACRO)
    return code_is(left) && asks_free(p, left, step);
  if (n->kind == SYNTAX_UNARY)
    return n->op == OPERATOR_NOT && is_element(p, left, step);
  if (n->kind != SYNTAX_BINARY)
    return false;
  if (n->op == OPERATOR_AND || n->op == OPERATOR_OR)
    return asks_free(p, left, step) || asks_free(p, right, step);
  return (n->op == OPERATOR_EQ || n->op == OPERATOR_LT) &&
         ((is_element(p, left, step) && is_constant(p, right)) ||
          (n->op == OPERATOR_EQ && is_element(p, right, step) && is_constant(p, left)));
}

/* Whether a statement is a loop up to a number that ends at a free place. */
static bool is_search(const struct whole_program *p, struct code_place loop)
{
  const struct code_place asked = code_child(p, loop, 1), step = code_child(p, loop, 2), body = code_child(p, loop, 3);
  if (program_node(p, loop)->kind != SYNTAX_FOR || !code_is(body) || program_node(p, asked)->kind != SYNTAX_BINARY)
    return false;
  const struct stretch steps = {step.unit, step.node, step.node + program_node(p, step)->size};
  for (uint32_t i = body.node; i < body.node + program_node(p, body)->size; i++) {
    const struct code_place branch = {body.unit, i};
    if (program_node(p, branch)->kind != SYNTAX_IF || !asks_free(p, code_child(p, branch, 0), steps))
      continue;
    const struct code_place then = code_child(p, branch, 1);
    if (is_below(p, then, SYNTAX_BREAK) || is_below(p, then, SYNTAX_RETURN) || is_below(p, then, SYNTAX_GOTO))
      return true;
  }
  return false;
}

/* A call of a function of the program that looks for a free place. */
static bool calls_search(const struct whole_program *p, struct code_place c)
{
  const uint32_t symbol = program_node(p, c)->kind == SYNTAX_CALL ? program_symbol_of(p, c) : PROGRAM_NONE;
  const uint32_t function = symbol == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[symbol].function;
  if (function == PROGRAM_NONE)
    return false;
  const struct program_function *f = &p->function[function];
  for (uint32_t i = f->node; i < f->node + p->unit[f->unit].syntax.node[f->node].size; i++)
    if (is_search(p, (struct code_place){f->unit, i}))
      return true;
  return false;
}

/* Whether the condition asks for something that is set in the stretch. */
static bool asks_what_is_set(const struct whole_program *p, const struct condition *c, struct stretch s)
{
  struct c_object o;
  if (c->kind == CONDITION_AND || c->kind == CONDITION_OR)
    return asks_what_is_set(p, c->left, s) || asks_what_is_set(p, c->right, s);
  for (uint32_t i = c->code.node; c->kind == CONDITION_SIMPLE && i < c->code.node + program_node(p, c->code)->size;
       i++) {
    struct changes changes = {0};
    if (c->code.unit != s.unit || !object_of(p, (struct code_place){s.unit, i}, &o))
      continue;
    changes_add(p, &o, s, &changes);
    if (changes.up || changes.down || changes_sets(&changes))
      return true;
  }
  return false;
}

/* The search at a node: the loop, or what the value of the call is put into; an empty stretch if it is none. */
static struct stretch search_at(const struct whole_program *p, struct code_place c)
{
  const struct stretch all = {c.unit, c.node, c.node + program_node(p, c)->size};
  if (is_search(p, c))
    return all;
  const uint8_t kind = program_node(p, c)->kind;
  const struct code_place value = kind == SYNTAX_ASSIGN     ? code_child(p, c, 1)
                                  : kind == SYNTAX_VARIABLE ? code_child(p, c, 0)
                                                            : (struct code_place){.node = PROGRAM_NONE};
  return code_is(value) && calls_search(p, code_inside(p, value)) ? all : (struct stretch){0};
}

/* The search that the call is in, below the loop: it is made where the place is free. SYNTAX_NONE: there is none. */
static uint32_t search_around(const struct whole_program *p, const struct lint_loop *loop, uint32_t call)
{
  const struct program_unit *u = &p->unit[loop->unit];
  for (uint32_t at = u->parent[call]; at != SYNTAX_NONE && at >= loop->from; at = u->parent[at]) {
    const struct code_place search = {loop->unit, at}, asked = code_child(p, search, 1),
                            step = code_child(p, search, 2);
    if (u->syntax.node[at].kind != SYNTAX_FOR || program_node(p, asked)->kind != SYNTAX_BINARY)
      continue;
    const struct stretch steps = {step.unit, step.node, step.node + program_node(p, step)->size};
    for (uint32_t branch = u->parent[call]; branch > at; branch = u->parent[branch])
      if (u->syntax.node[branch].kind == SYNTAX_IF && asks_free(p, (struct code_place){loop->unit, branch + 1}, steps))
        return at;
  }
  return SYNTAX_NONE;
}

static bool tell_place(const struct whole_program *p, uint32_t unit, uint32_t node, char *why)
{
  snprintf(why, REASON_SIZE, "each takes a free place of a table (line %u)", p->unit[unit].syntax.node[node].line);
  return true;
}

bool takes_place(struct judging *j, char *why)
{
  const struct whole_program *p = j->program;
  for (unsigned level = 0; may_use(j, 7) && level <= j->question->level; level++) {
    const struct lint_loop loop = loop_of_level(j, level);
    const uint32_t call = j->question->step[level].code.node;
    const struct condition *condition = reaching_condition(j->conditions, p, &loop, call, level);
    const uint32_t around = search_around(p, &loop, call);
    if (around != SYNTAX_NONE)
      return tell_place(p, loop.unit, around, why);
    for (uint32_t i = loop.from; i < call; i++) {
      const struct stretch search = search_at(p, (struct code_place){loop.unit, i});
      if (search.to <= call && search.to != search.from && asks_what_is_set(p, condition, search))
        return tell_place(p, loop.unit, i, why);
    }
  }
  return false;
}
