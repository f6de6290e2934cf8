/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether somebody outside decides how often a loop comes to the creation. That is seen, not supposed:
 *
 *   in each turn that creates, a connection or a message is taken that anybody may send, in the loop, in a function
 *   between it and the creation, or in one that these call; or the function is called by a library when one comes
 *
 * A walk, a retry, a number that was configured, a test: whose bound is not understood need not be anybody's choice
 * outside.
 */
#include "lint/bounding_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAKEN_DEPTH 3 /* calls from what is in the loop to what takes the connection */

/* Where something was taken. */
struct taking {
  const struct whole_program *program;
  unsigned char *looked; /* at functions: how deep, and one more */
  struct code_place at;
  uint32_t function;
};

/* What a call means, by the name of the member if it is through a pointer. */
static uint64_t meaning_of(const struct whole_program *p, struct code_place call)
{
  const struct code_place called = code_child(p, call, 0);
  const struct syntax_node *n = code_is(called) ? program_node(p, code_inside(p, called)) : NULL;
  if (!n || n->kind != SYNTAX_MEMBER || n->symbol == SYNTAX_NONE ||
      syntax_flags(program_syntax(p, call), n->symbol) & SYMBOL_FUNCTION)
    return called_meaning(p, call);
  const char *name = syntax_name(program_syntax(p, call), n->symbol);
  return vocabulary_meaning(p->vocabulary, name, strlen(name));
}

static bool takes_below(struct taking *t, uint32_t function, unsigned depth);
static bool takes_through_member(struct taking *t, struct code_place call, unsigned depth);

static bool takes(struct taking *t, struct code_place call, uint32_t function, unsigned depth)
{
  const struct whole_program *p = t->program;
  if (program_node(p, call)->kind != SYNTAX_CALL)
    return false;
  if (meaning_of(p, call) & word_bit(WORD_ACCEPT)) {
    t->at = call;
    t->function = function;
    return true;
  }
  const uint32_t symbol = program_symbol_of(p, call);
  const uint32_t callee = symbol == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[symbol].function;
  if (!depth)
    return false;
  return (callee != PROGRAM_NONE && takes_below(t, callee, depth - 1)) || takes_through_member(t, call, depth - 1);
}

/* `connection->accept(…)`: one of the functions that are put there, or override it, takes something, and hardly another
 * one does anything else. What many override does anything. */
static bool takes_through_member(struct taking *t, struct code_place call, unsigned depth)
{
  const uint32_t method = program_symbol_of(t->program, call);
  size_t from = 0, overriders = 0;
  bool takes_some = false;
  if (method != PROGRAM_NONE)
    program_overriders(t->program, method, &overriders);
  if (overriders > TARGETS_MOST)
    return false;
  for (uint32_t symbol; !takes_some && (symbol = program_member_target(t->program, call, &from)) != PROGRAM_NONE;) {
    const uint32_t target = t->program->symbol[symbol].function;
    takes_some = target != PROGRAM_NONE && takes_below(t, target, depth);
  }
  return takes_some;
}

static bool takes_below(struct taking *t, uint32_t function, unsigned depth)
{
  const struct program_function *f = &t->program->function[function];
  const uint32_t to = f->node + t->program->unit[f->unit].syntax.node[f->node].size;
  if (t->looked[function] > depth)
    return false;
  t->looked[function] = (unsigned char)(depth + 1);
  for (uint32_t i = f->node; i < to; i++)
    if (takes(t, (struct code_place){f->unit, i}, function, depth))
      return true;
  return false;
}

/* The variable that gets the value of a call; false: none does. */
static bool gets_value(const struct whole_program *p, struct code_place call, struct c_object *o)
{
  const struct code_place above = {call.unit, p->unit[call.unit].parent[call.node]};
  const struct syntax_node *n = code_is(above) ? program_node(p, above) : NULL;
  return n && ((n->kind == SYNTAX_ASSIGN && object_of(p, code_child(p, above, 0), o)) ||
               (n->kind == SYNTAX_VARIABLE && object_of(p, above, o)));
}

/* Whether the creation comes only where the condition holds, too: `while (running && take(&client))`. */
static bool holds_at_creation(const struct judging *j, const struct condition *c)
{
  if (c->kind == CONDITION_AND)
    return holds_at_creation(j, c->left) && holds_at_creation(j, c->right);
  return c->kind == CONDITION_TRUE || (c->kind == CONDITION_SIMPLE && condition_says(j->program, j->whole, c));
}

/* Whether the name only says what is set. */
static bool is_set_there(const struct program_unit *u, uint32_t name)
{
  const uint32_t above = u->parent[name];
  return above + 1 == name && u->syntax.node[above].kind == SYNTAX_ASSIGN && u->syntax.node[above].op == OPERATOR_NONE;
}

/* Whether a call comes before the creation in each turn that creates: nothing guards it that does not guard the
 * creation, or its value is used behind the branch that it is in, up to the creation. */
static bool comes_first(struct judging *j, const struct lint_loop *loop, uint32_t node, uint32_t call, unsigned level)
{
  const struct program_unit *u = &j->program->unit[loop->unit];
  struct c_object o;
  if (holds_at_creation(j, guards_of(j->conditions, j->program, loop, node, call, level)))
    return true;
  if (node > call || !gets_value(j->program, (struct code_place){loop->unit, node}, &o))
    return false;
  uint32_t branch = node;
  for (uint32_t up = u->parent[node]; up >= loop->from && up != SYNTAX_NONE && call >= up + u->syntax.node[up].size;
       up = u->parent[up])
    branch = up;
  for (uint32_t i = branch + u->syntax.node[branch].size; i < call + u->syntax.node[call].size; i++)
    if (u->syntax.node[i].kind == SYNTAX_NAME && !is_set_there(u, i) &&
        is_object(j->program, (struct code_place){loop->unit, i}, &o))
      return true;
  return false;
}

/* At that level: in the loop anywhere, in a function between it and the creation before the call. */
static bool takes_at(struct judging *j, struct taking *t, unsigned level)
{
  const struct lint_loop loop = loop_of_level(j, level);
  const struct path_step *step = &j->question->step[level];
  const bool again = level == j->question->level && loop_keeps_locals(&loop);
  const uint32_t to = again ? loop.to : step->code.node;
  for (uint32_t i = loop.from; i < to; i++) {
    const struct code_place c = {loop.unit, i};
    if ((i == step->code.node && level) || program_node(j->program, c)->kind != SYNTAX_CALL ||
        !comes_first(j, &loop, i, step->code.node, level))
      continue;
    if (takes(t, c, step->function, TAKEN_DEPTH))
      return true;
  }
  return false;
}

/* The function that a library is given this one to be called when somebody sends something; PROGRAM_NONE: none. */
static uint32_t called_for_outside(const struct whole_program *p, uint32_t symbol)
{
  for (size_t i = 0; i < p->takens; i++) {
    const struct address_taken *t = &p->taken[i];
    if (t->symbol == symbol && t->given_to != PROGRAM_NONE &&
        p->symbol[t->given_to].meaning & word_bit(WORD_CALLBACK) &&
        p->symbol[t->given_to].meaning & word_bit(WORD_OUTSIDE))
      return t->given_to;
  }
  return PROGRAM_NONE;
}

static bool is_called_for_outside(const struct judging *j, struct chosen_outside *outside)
{
  const struct whole_program *p = j->program;
  const struct lint_loop *l = &j->question->loop;
  const uint32_t symbol = p->function[l->function].symbol;
  const uint32_t by = l->kind == LOOP_CALLBACK ? called_for_outside(p, symbol) : PROGRAM_NONE;
  if (by == PROGRAM_NONE)
    return false;
  outside->function = l->function;
  outside->line = l->line;
  snprintf(outside->why, REASON_SIZE, "%s() is called when something comes from outside: it was given to %s()",
           p->symbol[symbol].name, p->symbol[by].name);
  return true;
}

bool comes_from_outside(struct judging *j, struct chosen_outside *outside)
{
  const struct whole_program *p = j->program;
  if (is_in_test(p, j->question->loop.function))
    return false;
  if (is_called_for_outside(j, outside))
    return true;
  struct taking t = {.program = p, .looked = calloc(p->functions + 1, 1)};
  bool found = false;
  j->failed |= !t.looked;
  for (unsigned level = 0; t.looked && !found && level <= j->question->level; level++) {
    size_t length;
    found = takes_at(j, &t, level);
    if (!found)
      continue;
    const char *name = called_name(p, t.at, &length);
    outside->function = t.function;
    outside->line = program_node(p, t.at)->line;
    snprintf(outside->why, REASON_SIZE, "each iteration takes what comes from outside: %.*s()",
             length ? (int)length : 6, length ? name : "accept");
  }
  free(t.looked);
  return found;
}
