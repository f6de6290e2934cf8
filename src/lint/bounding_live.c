/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns 7, 8 and 10: what bounds the threads that there are at the same time, though not their number in all.
 */
#include "lint/bounding_parts.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- pattern 7 ---- */

/* The function of a thread that gives back a slot of the semaphore. */
static uint32_t gives_back(const struct whole_program *p, uint32_t symbol)
{
  char text[OBJECT_TEXT];
  size_t count = 0;
  const uint32_t *user = symbol == PROGRAM_NONE ? NULL : program_users(p, symbol, &count);
  for (size_t i = 0; i < count; i++) {
    const struct program_function *f = &p->function[user[i]];
    if (!f->runs_in_thread)
      continue;
    const struct stretch s = stretch_of(p, user[i]);
    for (uint32_t node = s.from; node < s.to; node++) {
      const struct code_place c = {s.unit, node};
      if (program_node(p, c)->kind == SYNTAX_CALL && object_of_word(p, c, WORD_POST, text) &&
          object_symbol(p, c, text) == symbol)
        return user[i];
    }
  }
  return PROGRAM_NONE;
}

bool has_slots(struct judging *j, char *why)
{
  const struct whole_program *p = j->program;
  char text[OBJECT_TEXT];
  for (unsigned level = 0; may_use(j, 7) && level <= j->question->level; level++) {
    const struct lint_loop loop = loop_of_level(j, level);
    const uint32_t call = j->question->step[level].code.node;
    for (uint32_t i = loop.from; i < call; i++) {
      const struct code_place c = {loop.unit, i};
      if (program_node(p, c)->kind != SYNTAX_CALL || !object_of_word(p, c, WORD_WAIT, text) ||
          guards_of(j->conditions, p, &loop, i, call, level)->kind != CONDITION_TRUE)
        continue;
      const uint32_t function = gives_back(p, object_symbol(p, c, text));
      if (function == PROGRAM_NONE)
        continue;
      snprintf(why, REASON_SIZE, "each takes a slot of '%s', which %s() gives back", text,
               p->symbol[p->function[function].symbol].name);
      return true;
    }
  }
  return false;
}

/* ---- pattern 8 ---- */

/* Whether a lock is taken in the function, or by a wrapper that it calls: one that locks and does not unlock. */
static bool is_locked(const struct whole_program *p, uint32_t function)
{
  const struct stretch body = stretch_of(p, function);
  for (uint32_t i = body.from; !p->function[function].takes_lock && i < body.to; i++) {
    const struct code_place c = {body.unit, i};
    const uint32_t callee = program_node(p, c)->kind == SYNTAX_CALL ? program_symbol_of(p, c) : PROGRAM_NONE;
    const uint32_t called = callee == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[callee].function;
    if (called != PROGRAM_NONE && p->function[called].takes_lock && !p->function[called].gives_lock)
      return true;
  }
  return p->function[function].takes_lock;
}

/* Or by all who call it. */
static bool is_called_locked(const struct whole_program *p, uint32_t function)
{
  size_t count;
  const struct lint_call *site = program_calls(p, p->function[function].symbol, &count);
  if (is_locked(p, function))
    return true;
  for (size_t i = 0; i < count; i++)
    if (!is_locked(p, site[i].function))
      return false;
  return count;
}

/* A function that counts down; locked: it does so under a lock, the counter is atomic, or whoever creates calls it. */
static uint32_t counts_down(const struct judging *j, const struct c_object *o, bool *locked)
{
  const struct whole_program *p = j->program;
  size_t count;
  const uint32_t *user = program_users(p, o->symbol, &count);
  for (size_t k = 0; k < count; k++) {
    const uint32_t i = user[k];
    const struct program_function *f = &p->function[i];
    struct changes c = {0};
    if (f->is_variable)
      continue;
    changes_add(p, o, stretch_of(p, i), &c);
    if (!c.down)
      continue;
    const uint8_t kind = program_node(p, c.last_down)->kind;
    *locked = !f->runs_in_thread || (j->reached && j->reached[i]) || is_called_locked(p, i) ||
              o->flags & SYMBOL_ATOMIC ||
              (kind != SYNTAX_UNARY && kind != SYNTAX_ASSIGN); /* else it is an atomic function */
    return i;
  }
  return PROGRAM_NONE;
}

/* Nobody who could run meanwhile counts the limit; it may be configured anew. */
static bool is_limit(struct judging *j, struct code_place limit, unsigned level)
{
  const struct turn_value v = course_of(j, limit, level);
  struct c_object o;
  if (v.course == VALUE_CONSTANT)
    return true;
  return object_of(j->program, limit, &o) && o.symbol != PROGRAM_NONE &&
         changed_elsewhere(j, &o, CHANGE_COUNTED) == PROGRAM_NONE;
}

/* A local that is set to how many there are: `n = list_size(&clients)`. */
static bool is_told_number(struct judging *j, const struct c_object *o, unsigned level)
{
  const struct changes c = changes_in_loop(j, o, level);
  return o->symbol == PROGRAM_NONE && c.called && c.called == changes_sets(&c) && !c.up && !c.down &&
         called_meaning(j->program, c.last_call) & (word_bit(WORD_COUNT) | word_bit(WORD_SIZE));
}

bool counts_threads(struct judging *j, struct code_place counter, struct code_place limit, unsigned level, char *why)
{
  const struct whole_program *p = j->program;
  struct c_object o;
  bool locked = false;
  if (!may_use(j, 8) || !object_of(p, counter, &o))
    return false;
  if (is_told_number(j, &o, level) && is_limit(j, limit, level)) {
    snprintf(why, REASON_SIZE, "'%s' says how many there are, and is compared with a limit",
             syntax_name(&p->unit[o.unit].syntax, o.local));
    return true;
  }
  if (o.symbol == PROGRAM_NONE)
    return false;
  const struct changes c = changes_in_loop(j, &o, level);
  if (changes_sets(&c) || !is_limit(j, limit, level))
    return false;
  const bool counted = c.up || changed_elsewhere(j, &o, CHANGE_NOT_DOWN) != PROGRAM_NONE;
  const uint32_t down = counts_down(j, &o, &locked);
  if (!counted || down == PROGRAM_NONE || !locked)
    return false;
  snprintf(why, REASON_SIZE, "'%s' counts them and is compared with a limit; %s() counts it down",
           syntax_name(&p->unit[o.unit].syntax, o.local), p->symbol[p->function[down].symbol].name);
  return true;
}

/* What says how many there are: a call that counts them, a local that was set to it, a number that goes up and down. */
static bool is_number_of(const struct whole_program *p, struct code_place c, struct stretch body)
{
  const uint64_t counts = word_bit(WORD_COUNT) | word_bit(WORD_SIZE);
  struct c_object o;
  c = code_inside(p, c);
  if (program_node(p, c)->kind == SYNTAX_ASSIGN)
    c = code_inside(p, code_child(p, c, 1));
  if (program_node(p, c)->kind == SYNTAX_CALL)
    return called_meaning(p, c) & counts;
  struct changes changes = {0};
  if (!object_of(p, c, &o))
    return false;
  if (o.symbol == PROGRAM_NONE) {
    changes_add(p, &o, body, &changes);
    return changes.called && changes.called == changes_sets(&changes) && called_meaning(p, changes.last_call) & counts;
  }
  size_t count;
  const uint32_t *user = program_users(p, o.symbol, &count);
  for (size_t i = 0; i < count; i++)
    changes_add(p, &o, stretch_of(p, user[i]), &changes);
  return changes.up && changes.down;
}

/* `count >= limit`, or `limit <= count`. */
static bool asks_too_many(const struct whole_program *p, struct code_place c, struct stretch body)
{
  const struct syntax_node *n = program_node(p, c);
  struct c_object o;
  if (n->kind != SYNTAX_BINARY || n->op < OPERATOR_LT || n->op > OPERATOR_GE)
    return false;
  const bool above = n->op == OPERATOR_GT || n->op == OPERATOR_GE;
  const struct code_place more = code_child(p, c, above ? 0 : 1), limit = code_child(p, c, above ? 1 : 0);
  const bool fixed = program_node(p, code_inside(p, limit))->kind == SYNTAX_NUMBER ||
                     (object_of(p, limit, &o) && (o.symbol != PROGRAM_NONE || o.flags & SYMBOL_ENUMERATOR));
  return fixed && !is_number_of(p, limit, body) && is_number_of(p, more, body);
}

struct code_place argument_for(const struct judging *j, const struct c_object *o, unsigned level)
{
  const struct whole_program *p = j->program;
  const struct program_function *f = &p->function[j->question->step[level].function];
  for (unsigned i = 0; level < j->question->level; i++) {
    const struct code_place parameter = code_child(p, (struct code_place){f->unit, f->node}, i);
    if (!code_is(parameter) || program_node(p, parameter)->kind != SYNTAX_VARIABLE)
      break;
    if (is_object(p, parameter, o))
      return code_child(p, j->question->step[level + 1].code, i + 1);
  }
  return (struct code_place){.node = PROGRAM_NONE};
}

uint32_t start_of(const struct judging *j)
{
  const struct whole_program *p = j->program;
  const struct code_place call = j->question->step[0].code;
  size_t length;
  const char *name = called_name(p, call, &length);
  const unsigned argument = vocabulary_argument(p->vocabulary, WORD_THREAD, name, length);
  struct c_object o;
  struct code_place start =
      argument && argument != UINT_MAX ? code_child(p, call, argument) : (struct code_place){.node = PROGRAM_NONE};
  for (unsigned level = 0; code_is(start) && object_of(p, code_inside(p, start), &o) && o.symbol == PROGRAM_NONE;
       level++)
    start = argument_for(j, &o, level);
  const uint32_t symbol = code_is(start) ? program_symbol_of(p, code_inside(p, start)) : PROGRAM_NONE;
  return symbol == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[symbol].function;
}

/* Pattern 8, in the thread: it asks whether there are too many, and ends then. */
bool asks_itself(struct judging *j, char *why)
{
  const struct whole_program *p = j->program;
  const uint32_t start = may_use(j, 8) ? start_of(j) : PROGRAM_NONE;
  if (start == PROGRAM_NONE)
    return false;
  const struct stretch body = stretch_of(p, start);
  for (uint32_t i = body.from; i < body.to; i++) {
    const struct code_place branch = {body.unit, i};
    if (program_node(p, branch)->kind != SYNTAX_IF || !asks_too_many(p, code_child(p, branch, 0), body))
      continue;
    snprintf(why, REASON_SIZE, "%s() checks the limit itself (line %u)", p->symbol[p->function[start].symbol].name,
             program_node(p, branch)->line);
    return true;
  }
  return false;
}

/* ---- pattern 10 ---- */

bool asks_result(const struct judging *j, const struct condition *c, unsigned level)
{
  if (c->kind == CONDITION_AND || c->kind == CONDITION_OR)
    return asks_result(j, c->left, level) && asks_result(j, c->right, level);
  if (c->kind != CONDITION_SIMPLE)
    return true;
  struct c_object o;
  const struct code_place call = j->question->step[level].code;
  if (call.node >= c->code.node && call.node < c->code.node + program_node(j->program, c->code)->size)
    return true;
  for (uint32_t i = c->code.node; i < c->code.node + program_node(j->program, c->code)->size; i++) {
    if (!object_of(j->program, (struct code_place){c->code.unit, i}, &o))
      continue;
    const struct changes changes = changes_in_loop(j, &o, level);
    if (changes.called && changes.last_call.node == call.node)
      return true;
  }
  return false;
}

/* Whether whoever was created is joined: what is asked before it was asked before the creation, too. */
static bool asks_same(const struct judging *j, const struct condition *c, const struct condition *before,
                      unsigned level)
{
  if (c->kind == CONDITION_AND)
    return asks_same(j, c->left, before, level) && asks_same(j, c->right, before, level);
  return asks_result(j, c, level) || (c->kind == CONDITION_SIMPLE && condition_says(j->program, before, c));
}

bool is_in_other_loop(const struct judging *j, unsigned level, uint32_t node, uint32_t other)
{
  struct lint_loop around[LOOPS_MOST];
  const unsigned count = loops_around(j->program, j->question->step[level].function, node, around, LOOPS_MOST);
  for (unsigned i = 0; i < count; i++)
    if (around[i].from > j->stretch[level].from && (other < around[i].from || other >= around[i].to))
      return true;
  return false;
}

/* Whether a name of the variable is given to std::move() in the loop. */
static bool is_moved(const struct whole_program *p, const struct lint_loop *loop, uint32_t variable)
{
  const struct syntax *s = &p->unit[loop->unit].syntax;
  for (uint32_t i = loop->from; i < loop->to; i++) {
    const struct code_place c = {loop->unit, i};
    size_t length;
    const char *name = s->node[i].kind == SYNTAX_CALL ? called_name(p, c, &length) : "";
    const struct code_place moved =
        strcmp(name, "std::move") != 0 ? (struct code_place){.node = PROGRAM_NONE} : code_child(p, c, 1);
    if (code_is(moved) && s->node[moved.node].symbol == s->node[variable].symbol)
      return true;
  }
  return false;
}

/* The future of std::async() waits for the thread where it ends: at once if nobody keeps it, or with its variable. */
static bool is_awaited_future(const struct judging *j, const struct lint_loop *loop, uint32_t call)
{
  const struct program_unit *u = &j->program->unit[loop->unit];
  const uint32_t above = u->parent[call];
  size_t length;
  const char *name = called_name(j->program, (struct code_place){loop->unit, call}, &length);
  if (strcmp(name, "std::async") != 0 || above == SYNTAX_NONE)
    return false;
  const struct syntax_node *n = &u->syntax.node[above];
  if (n->kind == SYNTAX_VARIABLE)
    return syntax_flags(&u->syntax, n->symbol) & SYMBOL_LOCAL && !is_moved(j->program, loop, above);
  return n->kind > SYNTAX_VARIABLE && n->kind < SYNTAX_NAME && n->kind != SYNTAX_RETURN;
}

static bool is_jthread(const struct judging *j, struct code_place c)
{
  const struct syntax *s = program_syntax(j->program, c);
  const struct syntax_node *n = program_node(j->program, c);
  return n->kind == SYNTAX_VARIABLE && n->symbol != SYNTAX_NONE && s->symbol[n->symbol].flags & SYMBOL_LOCAL &&
         strstr(syntax_text(s, s->symbol[n->symbol].type), "jthread") &&
         !strchr(syntax_text(s, s->symbol[n->symbol].type), '<');
}

/* Whether the thread ends in the same turn, in the function of that level: behind the call, whatever happens but that
 * the creation failed. */
static bool joins_at(struct judging *j, unsigned level, char *why)
{
  const struct whole_program *p = j->program;
  const struct bound_question *q = j->question;
  const struct lint_loop loop = loop_of_level(j, level);
  const uint32_t call = q->step[level].code.node;
  for (uint32_t i = loop.from; i < loop.to; i++) {
    const struct code_place c = {loop.unit, i};
    const struct syntax_node *n = program_node(p, c);
    const bool around = call > i && call < i + n->size; /* `std::async(work).get()` */
    const bool joins = n->kind == SYNTAX_CALL && (i > call || around) && called_meaning(p, c) & word_bit(q->release);
    const bool scoped = (is_jthread(j, c) && around) || (i == call && is_awaited_future(j, &loop, call));
    if (!joins && !scoped)
      continue;
    if (is_in_other_loop(j, level, i, call) && !is_in_other_loop(j, level, call, i))
      continue; /* it gathers up those that have ended */
    const struct condition *guard = guards_of(j->conditions, p, &loop, i, call, level);
    const struct condition *before = guards_of(j->conditions, p, &loop, call, i, level);
    if (scoped || asks_same(j, guard, before, level)) {
      snprintf(why, REASON_SIZE, "each ends in the iteration that it is created in (line %u)", n->line);
      return true;
    }
  }
  return false;
}

/* Of a function between the loop and the creation all is one turn. */
bool joins_in_turn(struct judging *j, char *why)
{
  const struct bound_question *q = j->question;
  for (unsigned level = 0; may_use(j, 10) && level <= q->level; level++)
    if ((level < q->level || loop_keeps_locals(&q->loop)) && joins_at(j, level, why))
      return true;
  return false;
}
