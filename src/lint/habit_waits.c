/* SPDX-License-Identifier: Apache-2.0
 *
 * Waits for a condition: outside of a loop that asks again, and with a mutex that is not held.
 */
#include "lint/habit.h"
#include "lint/lint_fix.h"
#include "lint/loops.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_MOST 8

static unsigned argument_count(const struct whole_program *p, struct code_place call)
{
  unsigned count = 0;
  while (code_is(code_child(p, call, count + 1)))
    count++;
  return count;
}

/* In C++ the last argument may be the condition. */
static bool is_given_condition(const struct whole_program *p, struct code_place call)
{
  size_t length;
  const char *name = called_name(p, call, &length);
  if (strncmp(name, "std::", 5) != 0)
    return false;
  return argument_count(p, call) > (called_meaning(p, call) & word_bit(WORD_COND_TIMED) ? 2u : 1u);
}

/* The object of the condition variable. */
static bool condition_text_of(const struct whole_program *p, struct code_place call, char text[OBJECT_TEXT])
{
  size_t length;
  const char *name = called_name(p, call, &length);
  return argument_text(p, call, strncmp(name, "std::", 5) == 0 ? 0 : 1, text);
}

/* ---- outside of a loop ---- */

/* Whether all that is named below a node are parameters: what is asked of them is not what the wait is for. */
static bool asks_parameters(const struct program_unit *u, uint32_t node)
{
  for (uint32_t i = node; i < node + u->syntax.node[node].size; i++) {
    const struct syntax_node *n = &u->syntax.node[i];
    if (n->kind == SYNTAX_MEMBER || n->kind == SYNTAX_CALL ||
        (n->kind == SYNTAX_NAME && !(syntax_flags(&u->syntax, n->symbol) & SYMBOL_PARAMETER)))
      return false;
  }
  return true;
}

/* Whether what it waits for is its caller's: a parameter, or in one. */
static bool waits_for_parameter(const struct program_unit *u, uint32_t call)
{
  for (uint32_t i = call; i < call + u->syntax.node[call].size; i++)
    if (u->syntax.node[i].kind == SYNTAX_NAME && syntax_flags(&u->syntax, u->syntax.node[i].symbol) & SYMBOL_PARAMETER)
      return true;
  return false;
}

/* Whether the wait is asked for by nothing but parameters: a timeout, and not what it is for. */
static bool is_asked_by_parameters(const struct program_unit *u, uint32_t call)
{
  for (uint32_t at = u->parent[call]; at != SYNTAX_NONE && u->syntax.node[at].kind != SYNTAX_FUNCTION;
       at = u->parent[at]) {
    const uint8_t kind = u->syntax.node[at].kind;
    const bool asks = kind == SYNTAX_IF || kind == SYNTAX_SWITCH || kind == SYNTAX_CONDITIONAL;
    if (asks && call >= at + 1 + u->syntax.node[at + 1].size && /* not in what is asked for */
        !asks_parameters(u, at + 1))
      return false;
  }
  return true;
}

/* A function that does no more than wait, with or without a timeout, for what its caller gives it or by its name: its
 * callers have the loop. */
static bool is_wrapper(const struct whole_program *p, uint32_t function, struct code_place call)
{
  static const char *const words[] = {"wait", "sleep", NULL};
  const struct program_unit *u = &p->unit[call.unit];
  const bool named = name_has(function_name(p, function), words), given = waits_for_parameter(u, call.node);
  if (given && !has_word(p, stretch_of(p, function), word_bit(WORD_LOCK)))
    return named || is_asked_by_parameters(u, call.node);
  return named && is_asked_by_parameters(u, call.node);
}

/* A function that takes no lock, and is called in loops only: whoever calls it has the mutex, and asks again. */
static bool is_asked_by_callers(const struct whole_program *p, uint32_t function)
{
  struct lint_loop loop[LOOPS_MOST];
  size_t count;
  const struct lint_call *site = program_calls(p, p->function[function].symbol, &count);
  if (!count || has_word(p, stretch_of(p, function), word_bit(WORD_LOCK)))
    return false;
  for (size_t i = 0; i < count; i++)
    if (!loops_around(p, site[i].function, site[i].code.node, loop, LOOPS_MOST))
      return false;
  return true;
}

/* The `if` around the wait that is inside of the loop; PROGRAM_NONE: there is none. */
static uint32_t asked_by_if(const struct whole_program *p, const struct lint_loop *loop, uint32_t node)
{
  const struct program_unit *u = &p->unit[loop->unit];
  for (uint32_t at = u->parent[node]; at != SYNTAX_NONE && at >= loop->from; at = u->parent[at])
    if (u->syntax.node[at].kind == SYNTAX_IF && node >= at + 1 + u->syntax.node[at + 1].size)
      return at;
  return PROGRAM_NONE;
}

/* Whether the node is in what a branch or a loop asks. */
static bool is_in_question(const struct program_unit *u, uint32_t node)
{
  for (uint32_t child = node, at = u->parent[node]; at != SYNTAX_NONE; child = at, at = u->parent[at]) {
    const uint8_t kind = u->syntax.node[at].kind;
    const bool first = kind == SYNTAX_IF || kind == SYNTAX_WHILE || kind == SYNTAX_SWITCH || kind == SYNTAX_CONDITIONAL;
    const bool second = kind == SYNTAX_FOR || kind == SYNTAX_DO;
    if ((first && child == at + 1) || (second && child == syntax_child(&u->syntax, at, 1)))
      return true;
  }
  return false;
}

/* `seen = count;`: nothing depends on its value yet. */
static bool is_copied(const struct program_unit *u, uint32_t node)
{
  const uint32_t up = u->parent[node];
  return up != SYNTAX_NONE && node != up + 1 && u->syntax.node[up].kind == SYNTAX_ASSIGN &&
         syntax_flags(&u->syntax, u->syntax.node[node].symbol) & SYMBOL_INTEGER;
}

enum first_use { USED_NOT, USED_TO_ASK, USED_OTHERWISE };

/* What one of the symbols is first used for between the nodes. */
static enum first_use first_use(const struct whole_program *p, uint32_t unit, uint32_t from, uint32_t to,
                                const uint32_t *symbol, unsigned symbols)
{
  const struct program_unit *u = &p->unit[unit];
  for (uint32_t i = from; i < to; i++) {
    const uint8_t kind = u->syntax.node[i].kind;
    if ((kind == SYNTAX_NAME || kind == SYNTAX_MEMBER) && names_one(p, (struct code_place){unit, i}, symbol, symbols) &&
        !is_copied(u, i))
      return is_in_question(u, i) ? USED_TO_ASK : USED_OTHERWISE;
  }
  return USED_NOT;
}

/* What is first done behind the wait with what the `if` around it asks for. */
static enum first_use use_behind(const struct whole_program *p, const struct lint_loop *loop, uint32_t asked,
                                 struct code_place call)
{
  uint32_t symbol[SYMBOLS_MOST];
  const unsigned symbols = shared_symbols(p, (struct code_place){call.unit, asked + 1}, symbol, SYMBOLS_MOST);
  return first_use(p, call.unit, call.node + program_node(p, call)->size, loop->to, symbol, symbols);
}

/* `for (;;) { lock(); if (empty) wait(); take(); unlock(); }`: each turn takes the lock anew, and after the wait nobody
 * asks again before what was waited for is used. */
static bool asks_once(const struct whole_program *p, const struct lint_loop *loop, struct code_place call)
{
  const struct syntax *s = program_syntax(p, call);
  const uint32_t asked = asked_by_if(p, loop, call.node);
  if (asked == PROGRAM_NONE || !has_word(p, (struct stretch){call.unit, loop->from, asked}, word_bit(WORD_LOCK)) ||
      !has_word(p, (struct stretch){call.unit, asked + s->node[asked].size, loop->to}, word_bit(WORD_UNLOCK)))
    return false;
  return use_behind(p, loop, asked, call) == USED_OTHERWISE;
}

/* `if (empty) wait(); while (!empty) take();`: it does not matter when the wait ends. */
static bool asks_again(const struct whole_program *p, uint32_t function, struct code_place call)
{
  const struct lint_loop whole = loop_of_function(p, function, LOOP_CALLBACK);
  const uint32_t asked = asked_by_if(p, &whole, call.node);
  return asked != PROGRAM_NONE && use_behind(p, &whole, asked, call) == USED_TO_ASK;
}

/* The `if` that has nothing but the wait in it; SYNTAX_NONE: there is none. */
static uint32_t if_of_wait(const struct whole_program *p, struct code_place call)
{
  const struct program_unit *u = &p->unit[call.unit];
  uint32_t at = call.node, up = u->parent[at];
  while (up != SYNTAX_NONE && (u->syntax.node[up].kind == SYNTAX_MACRO || u->syntax.node[up].kind == SYNTAX_BLOCK) &&
         u->syntax.node[up].size == u->syntax.node[at].size + 1) {
    at = up;
    up = u->parent[up];
  }
  if (up == SYNTAX_NONE || u->syntax.node[up].kind != SYNTAX_IF || syntax_child(&u->syntax, up, 1) != at)
    return SYNTAX_NONE;
  const uint32_t other = syntax_child(&u->syntax, up, 2);
  return other == SYNTAX_NONE || u->syntax.node[other].kind == SYNTAX_EMPTY ? up : SYNTAX_NONE;
}

static void tell_wait(struct lint_work *work, unsigned rule, uint32_t function, struct code_place call, bool once)
{
  const struct whole_program *p = work->program;
  char text[OBJECT_TEXT] = "";
  size_t length;
  const char *name = called_name(p, call, &length);
  condition_text_of(p, call, text);
  struct lint_finding *f =
      habit_tell(work, rule, function, call.node, text, "%.*s() %s: the wait may end before the condition holds",
                 (int)length, name, once ? "checks the condition only once, with an if" : "is not in a loop");
  const uint32_t asks = if_of_wait(p, call);
  uint32_t shared;
  if (f && asks != SYNTAX_NONE && shared_symbols(p, (struct code_place){call.unit, asks + 1}, &shared, 1))
    fix_word(work->findings, f, program_syntax(p, call)->node[asks].line, "if", "while");
  if (*text)
    habit_note(work, f, function, call.node, "test what '%s' signals in a while loop around the wait", text);
}

#define WRAPPERS_MOST 4 /* around each other */

static void look_at_wait(struct lint_work *work, unsigned rule, uint32_t function, struct code_place call,
                         unsigned wrappers)
{
  const struct whole_program *p = work->program;
  struct lint_loop loop[LOOPS_MOST];
  size_t count;
  if (loops_around(p, function, call.node, loop, LOOPS_MOST)) {
    if (loop[0].kind == LOOP_STATEMENT && asks_once(p, &loop[0], call))
      tell_wait(work, rule, function, call, true);
    return;
  }
  const bool is_callers = is_called(p, function) || waits_for_parameter(&p->unit[call.unit], call.node);
  if (!is_wrapper(p, function, call) || (wrappers && !is_callers)) {
    if (!asks_again(p, function, call) && !is_asked_by_callers(p, function))
      tell_wait(work, rule, function, call, false);
    return;
  }
  if (has_word(p, stretch_of(p, function), word_bit(WORD_COND_TIMED)))
    return; /* mostly it is given a time */
  const struct lint_call *site = program_calls(p, p->function[function].symbol, &count);
  for (size_t i = 0; i < count && wrappers < WRAPPERS_MOST; i++)
    look_at_wait(work, rule, site[i].function, site[i].code, wrappers + 1);
}

bool wait_outside_loop_run(struct lint_work *work, unsigned rule)
{
  const struct whole_program *p = work->program;
  for (size_t i = 0; i < p->calls; i++) {
    const uint64_t meaning = p->symbol[p->call[i].callee].meaning;
    if (meaning & word_bit(WORD_COND_WAIT) && !(meaning & word_bit(WORD_COND_TIMED)) &&
        p->symbol[p->call[i].callee].function == PROGRAM_NONE && !is_given_condition(p, p->call[i].code))
      look_at_wait(work, rule, p->call[i].function, p->call[i].code, 0);
  }
  return true;
}

/* ---- with a mutex that is not held ---- */

struct mutex_question {
  struct lint_work *work;
  unsigned rule;
  bool begins; /* the thread begins with this function: nobody else can hold it */
};

static void look_at_mutex(struct lock_walk *walk, enum walk_moment moment, struct code_place code,
                          const struct lock_states *states)
{
  const struct mutex_question *q = walk->data;
  const struct whole_program *p = walk->program;
  char text[OBJECT_TEXT];
  size_t length;
  if (moment != WALK_CALL || !(called_meaning(p, code) & word_bit(WORD_COND_WAIT)))
    return;
  const char *name = called_name(p, code, &length);
  const unsigned argument = vocabulary_argument(p->vocabulary, WORD_COND_WAIT, name, length);
  if (!argument || argument == UINT_MAX || !lock_text(p, code, argument, text))
    return;
  const unsigned lock = lock_walk_find(walk, text);
  const uint32_t bit = lock < LOCKS_MOST ? UINT32_C(1) << lock : 0;
  if (some_hold(states, bit) || strchr(text, '[')) /* two indices may be one */
    return;
  bool released = bit;
  for (unsigned i = 0; i < states->count; i++)
    released &= (states->state[i].released & bit) != 0;
  if (!released && (bit || !q->begins))
    return;
  struct lint_finding *f = habit_tell(q->work, q->rule, walk->function, code.node, text,
                                      "%.*s() with '%s', which is not held here", (int)length, name, text);
  if (released)
    habit_note(q->work, f, walk->function, code.node, "'%s' has been released on the way to this wait", text);
  else
    habit_note(q->work, f, walk->function, p->function[walk->function].node,
               "the thread begins with %s(), and nothing takes '%s' before the wait", function_name(p, walk->function),
               text);
}

static bool look_at_function(struct lint_work *work, unsigned rule, uint32_t function)
{
  const struct whole_program *p = work->program;
  struct mutex_question q = {
      .work = work, .rule = rule, .begins = is_start_routine(p, function) && !is_called(p, function)};
  struct lock_walk *walk = malloc(sizeof *walk);
  const bool good = walk && lock_walk_run(walk, p, work->effects, function, look_at_mutex, &q);
  free(walk);
  return good;
}

bool wait_without_mutex_run(struct lint_work *work, unsigned rule)
{
  return each_function_with(work, rule, word_bit(WORD_COND_WAIT), look_at_function);
}
