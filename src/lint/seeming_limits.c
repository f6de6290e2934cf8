/* SPDX-License-Identifier: Apache-2.0
 *
 * What looks like a limit although no pattern fits: then somebody may have meant a bound, and it is not certain that
 * there is none.
 *
 *   a number that goes up and down is compared (seeming_counters.c)
 *   what stays from turn to turn is asked to be free, or a place is looked for (seeming_places.c)
 *   a slot of a semaphore is waited for, or a thread, in the loop or in what it calls
 *   a function that is called in the same turn waits for the end of one
 *   the descriptor is compared with a number: there are not more than that
 *   what is asked is called like a limit (limit_names.c)
 */
#include "lint/bounding_parts.h"
#include <stdio.h>
#include <string.h>

/* ---- slots and joins ---- */

/* Whether a function waits for the end of one: `stop(worker);`, which joins it. Not in a loop of its own, which may
 * gather up those that have ended. */
static bool ends_one(const struct judging *j, uint32_t function, unsigned depth)
{
  const struct whole_program *p = j->program;
  const struct stretch s = stretch_of(p, function);
  struct lint_loop around[LOOPS_MOST];
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    if (program_node(p, c)->kind != SYNTAX_CALL || loops_around(p, function, i, around, 1))
      continue;
    const uint32_t callee = called_function(p, c);
    if (called_meaning(p, c) & word_bit(j->question->release) ||
        (depth && callee != PROGRAM_NONE && ends_one(j, callee, depth - 1)))
      return true;
  }
  return false;
}

/* `start(&worker); stop(&worker);`, in the same loop as the creation. */
static bool ends_by_function(const struct judging *j, unsigned level, char *why)
{
  const struct whole_program *p = j->program;
  const struct lint_loop loop = loop_of_level(j, level);
  const uint32_t call = j->question->step[level].code.node;
  for (uint32_t i = loop.from; i < loop.to; i++) {
    const struct code_place c = {loop.unit, i};
    const uint32_t callee = i == call ? PROGRAM_NONE : called_function(p, c);
    if (callee == PROGRAM_NONE || is_in_other_loop(j, level, i, call) ||
        guards_of(j->conditions, p, &loop, i, call, level)->kind != CONDITION_TRUE || !ends_one(j, callee, 1))
      continue;
    snprintf(why, REASON_SIZE, "%s() waits for one to end (line %u)", p->symbol[p->function[callee].symbol].name,
             program_node(p, c)->line);
    return true;
  }
  return false;
}

/* A slot that each takes, or a thread that is joined before the next is created; not where those are gathered up that
 * have ended. */
static bool waits_for_end(const struct judging *j, unsigned level, char *why)
{
  const struct whole_program *p = j->program;
  const struct lint_loop loop = loop_of_level(j, level);
  const uint32_t call = j->question->step[level].code.node;
  size_t length;
  for (uint32_t i = loop.from; i < call; i++) {
    const struct code_place c = {loop.unit, i};
    const uint64_t meaning = program_node(p, c)->kind == SYNTAX_CALL ? called_meaning(p, c) : 0;
    const bool slot =
        meaning & word_bit(WORD_WAIT) && guards_of(j->conditions, p, &loop, i, call, level)->kind == CONDITION_TRUE;
    const bool joins = meaning & word_bit(j->question->release) && !is_in_other_loop(j, level, i, call);
    if (!slot && !joins)
      continue;
    const char *name = called_name(p, c, &length);
    snprintf(why, REASON_SIZE, "%.*s() waits for one to end (line %u)", (int)length, name, program_node(p, c)->line);
    return true;
  }
  return false;
}

/* ---- what is asked ---- */

/* `fd < FD_SETSIZE`: descriptors are given out from 0 on. */
static bool bounds_descriptor(struct judging *j, const struct condition *simple, char *why)
{
  const struct whole_program *p = j->program;
  const enum syntax_operator op = condition_operator(p, simple);
  struct c_object o;
  if (op != OPERATOR_LT && op != OPERATOR_LE)
    return false;
  const struct code_place limit =
      code_inside(p, code_is(simple->value) ? simple->value : code_child(p, simple->code, 1));
  const struct syntax_node *n = program_node(p, limit);
  if (n->kind != SYNTAX_NUMBER || n->zero || !object_of(p, code_child(p, simple->code, 0), &o))
    return false;
  const struct changes c = changes_in_loop(j, &o, simple->level);
  if (!c.called || !(called_meaning(p, c.last_call) & word_bit(WORD_ACCEPT)))
    return false;
  snprintf(why, REASON_SIZE, "the descriptor '%s' is compared with a number (line %u)",
           syntax_name(&p->unit[o.unit].syntax, o.local), program_node(p, simple->code)->line);
  return true;
}

/* Whether an operand is called like a limit: by the function's name if it is a call. */
static bool is_named_limit(const struct whole_program *p, struct code_place c)
{
  size_t length;
  c = code_inside(p, c);
  if (program_node(p, c)->kind == SYNTAX_CALL) {
    char name[OBJECT_TEXT];
    const char *called = called_name(p, c, &length);
    snprintf(name, sizeof name, "%.*s", (int)length, called);
    return names_limit(name);
  }
  for (uint32_t i = c.node; i < c.node + program_node(p, c)->size; i++)
    if (program_node(p, (struct code_place){c.unit, i})->kind == SYNTAX_CALL)
      return false;
  return names_limit(syntax_text(program_syntax(p, c), program_node(p, c)->text));
}

/* `clients < max_clients`, whatever the names stand for. */
static bool is_limit_by_name(struct judging *j, const struct condition *simple, char *why)
{
  const struct whole_program *p = j->program;
  const bool compares = condition_operator(p, simple) != OPERATOR_NONE && !code_is(simple->value);
  const struct code_place left = compares ? code_child(p, simple->code, 0) : simple->code;
  if (!is_named_limit(p, left) && (!compares || !is_named_limit(p, code_child(p, simple->code, 1))))
    return false;
  snprintf(why, REASON_SIZE, "what is asked in line %u is called like a limit", program_node(p, simple->code)->line);
  return true;
}

/* Whether some part of a condition asks like that. */
static bool some_part(struct judging *j, const struct condition *c, char *why,
                      bool (*asks)(struct judging *, const struct condition *, char *))
{
  if (c->kind == CONDITION_AND || c->kind == CONDITION_OR)
    return some_part(j, c->left, why, asks) || some_part(j, c->right, why, asks);
  return c->kind == CONDITION_SIMPLE && asks(j, c, why);
}

static bool asks_limit(struct judging *j, const struct condition *simple, char *why)
{
  return asks_for_place(j, simple, why) || asks_for_found(j, simple, why) || asks_for_index(j, simple, why) ||
         bounds_descriptor(j, simple, why);
}

/* Loops that are between: they walk through places, and the creation is in one that is free. */
static bool asks_in_loops(struct judging *j, unsigned level, char *why)
{
  struct lint_loop around[LOOPS_MOST];
  const struct path_step *step = &j->question->step[level];
  const unsigned count = loops_around(j->program, step->function, step->code.node, around, LOOPS_MOST);
  for (unsigned i = 0; i < count; i++)
    if (around[i].from > j->stretch[level].from &&
        some_part(j, reaching_condition(j->conditions, j->program, &around[i], step->code.node, level), why,
                  asks_for_place))
      return true;
  return false;
}

bool seems_limited(struct judging *j, char *why)
{
  if (some_part(j, j->whole, why, asks_limit))
    return true;
  for (unsigned level = 0; level <= j->question->level; level++)
    if (asks_in_loops(j, level, why) || seems_counted(j, level, why) || waits_for_end(j, level, why) ||
        ends_by_function(j, level, why))
      return true;
  return some_part(j, j->whole, why, is_limit_by_name);
}
