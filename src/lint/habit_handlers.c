/* SPDX-License-Identifier: Apache-2.0
 *
 * What must not be called in a handler of a signal: for each handler the call that is nearest to it, and where others
 * are.
 */
#include "lint/habit.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_ARGUMENT 2 /* which is the handler: `signal(SIGINT, stop)`; a word with a number is no member's */
#define HANDLER_DEPTH 2  /* calls below the handler */
#define OTHERS_TOLD 4

/* Whether a handler is given to a call that is about a signal which nobody can catch. */
static bool is_in_vain(const struct whole_program *p, struct code_place given)
{
  struct code_place call = given;
  while (code_is(call) && program_node(p, call)->kind != SYNTAX_CALL)
    call.node = p->unit[call.unit].parent[call.node];
  const struct code_place first = code_is(call) ? code_child(p, call, 1) : call;
  if (!code_is(first) || program_node(p, first)->kind != SYNTAX_NUMBER)
    return false;
  const long number = strtol(syntax_text(program_syntax(p, first), program_node(p, first)->text), NULL, 10);
  return number == SIGKILL || number == SIGSTOP;
}

/* Whether a function whose address is taken there becomes a handler. */
static bool is_set_as_handler(const struct whole_program *p, const struct address_taken *t)
{
  if (t->holder != PROGRAM_NONE) {
    const char *member = p->symbol[t->holder].name;
    return vocabulary_argument(p->vocabulary, WORD_HANDLER, member, strlen(member)) == 0;
  }
  if (t->given_to == PROGRAM_NONE || !(p->symbol[t->given_to].meaning & word_bit(WORD_HANDLER)))
    return false;
  const char *name = p->symbol[t->given_to].name;
  const unsigned argument = vocabulary_argument(p->vocabulary, WORD_HANDLER, name, strlen(name));
  return (argument ? argument : USUAL_ARGUMENT) == t->argument && !is_in_vain(p, t->code);
}

/* The first call in the function that must not be made; SYNTAX_NONE: there is none. */
static uint32_t unsafe_call_in(const struct whole_program *p, uint32_t function)
{
  const struct stretch s = stretch_of(p, function);
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    const uint32_t symbol = program_node(p, c)->kind == SYNTAX_CALL ? program_symbol_of(p, c) : PROGRAM_NONE;
    if (symbol != PROGRAM_NONE && p->symbol[symbol].meaning & word_bit(WORD_HANDLER_UNSAFE) &&
        p->symbol[symbol].function == PROGRAM_NONE)
      return i;
  }
  return SYNTAX_NONE;
}

/* The function with such a call that is fewest calls away, of those that have not been told; PROGRAM_NONE: none. */
static uint32_t nearest_unsafe(const struct whole_program *p, unsigned char *reached, uint32_t *call)
{
  uint32_t found = PROGRAM_NONE;
  for (uint32_t i = 0; i < p->functions; i++) {
    if (!reached[i] || p->function[i].is_variable || (found != PROGRAM_NONE && reached[i] <= reached[found]))
      continue;
    const uint32_t unsafe = unsafe_call_in(p, i);
    if (unsafe == SYNTAX_NONE)
      continue;
    found = i;
    *call = unsafe;
  }
  if (found != PROGRAM_NONE)
    reached[found] = 0;
  return found;
}

static struct lint_finding *tell_handler(struct lint_work *work, unsigned rule, const struct address_taken *t,
                                         uint32_t handler, uint32_t function, uint32_t call)
{
  const struct whole_program *p = work->program;
  size_t length;
  const char *name = called_name(p, (struct code_place){p->function[function].unit, call}, &length);
  struct lint_finding *f =
      habit_tell(work, rule, function, call, function_name(p, handler),
                 "%.*s() must not be called in a handler of a signal, and %s() %s", (int)length, name,
                 function_name(p, handler), function == handler ? "is one" : "is one and calls this function");
  habit_note(work, f, t->function, t->code.node, "%s() becomes a handler here", function_name(p, handler));
  return f;
}

static void tell_handlers_calls(struct lint_work *work, unsigned rule, const struct address_taken *t, uint32_t handler,
                                unsigned char *reached)
{
  const struct whole_program *p = work->program;
  struct lint_finding *f = NULL;
  uint32_t call;
  for (unsigned told = 0; told <= OTHERS_TOLD; told++) {
    const uint32_t function = nearest_unsafe(p, reached, &call);
    size_t length;
    if (function == PROGRAM_NONE)
      return;
    if (!told) {
      f = tell_handler(work, rule, t, handler, function, call);
      continue;
    }
    const char *name = called_name(p, (struct code_place){p->function[function].unit, call}, &length);
    habit_note(work, f, function, call, "it also calls %.*s(), through %s()", (int)length, name,
               function_name(p, function));
  }
}

static bool look_at_handler(struct lint_work *work, unsigned rule, const struct address_taken *t)
{
  const struct whole_program *p = work->program;
  const uint32_t handler = program_definition(p, t->symbol, t->function);
  if (handler == PROGRAM_NONE)
    return true;
  unsigned char *reached = calloc(p->functions + 1, 1);
  if (!reached)
    return false;
  program_reach(p, handler, HANDLER_DEPTH, reached);
  tell_handlers_calls(work, rule, t, handler, reached);
  free(reached);
  return true;
}

bool unsafe_in_handler_run(struct lint_work *work, unsigned rule)
{
  const struct whole_program *p = work->program;
  bool good = true;
  uint32_t last = PROGRAM_NONE; /* they are in the order of their symbols */
  for (size_t i = 0; good && i < p->takens; i++)
    if (p->taken[i].symbol != last && is_set_as_handler(p, &p->taken[i])) {
      last = p->taken[i].symbol;
      good = look_at_handler(work, rule, &p->taken[i]);
    }
  return good;
}
