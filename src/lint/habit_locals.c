/* SPDX-License-Identifier: Apache-2.0
 *
 * Detached threads that are given the address of a local variable.
 */
#include "lint/habit.h"
#include "lint/loops.h"
#include <limits.h>
#include <string.h>

/* The local variable whose address an argument is, or which is an array: its NAME; SYNTAX_NONE: it is none. */
static uint32_t local_given(const struct whole_program *p, struct code_place argument)
{
  const struct syntax *s = program_syntax(p, argument);
  const struct code_place inside = code_inside(p, argument);
  const struct syntax_node *n = program_node(p, inside);
  if (n->kind != SYNTAX_NAME || !(syntax_flags(s, n->symbol) & SYMBOL_LOCAL))
    return SYNTAX_NONE;
  if (strchr(syntax_text(s, s->symbol[n->symbol].type), '&'))
    return SYNTAX_NONE; /* a reference: what it refers to may live longer */
  const bool array = strchr(syntax_text(s, s->symbol[n->symbol].type), '[') != NULL;
  return array || inside.node != argument.node ? inside.node : SYNTAX_NONE;
}

/* ---- who detaches ---- */

/* `pthread_attr_setdetachstate(&attributes, …DETACHED)` in the function. */
static bool sets_detached(const struct whole_program *p, uint32_t function)
{
  const struct stretch s = stretch_of(p, function);
  for (uint32_t i = s.from; i < s.to; i++) {
    const struct code_place c = {s.unit, i};
    size_t length;
    const char *name = called_name(p, c, &length);
    const struct code_place state = length && !strncmp(name, "pthread_attr_setdetachstate", length)
                                        ? code_child(p, c, 2)
                                        : (struct code_place){.node = PROGRAM_NONE};
    if (code_is(state) && !strcmp(syntax_name(program_syntax(p, c), program_node(p, code_inside(p, state))->symbol),
                                  "PTHREAD_CREATE_DETACHED"))
      return true;
  }
  return false;
}

static bool start_detaches(const struct whole_program *p, struct code_place start)
{
  const uint32_t symbol = code_is(start) ? program_symbol_of(p, code_inside(p, start)) : PROGRAM_NONE;
  const uint32_t function = symbol == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[symbol].function;
  return function != PROGRAM_NONE && has_word(p, stretch_of(p, function), word_bit(WORD_DETACH));
}

/* Locals of main() live as long as the program, unless they are those of a loop. */
static bool outlives(const struct whole_program *p, uint32_t function, uint32_t name)
{
  const struct stretch s = stretch_of(p, function);
  const struct syntax *x = &p->unit[s.unit].syntax;
  struct lint_loop loop[LOOPS_MOST];
  if (strcmp(function_name(p, function), "main") != 0)
    return false;
  for (uint32_t i = s.from; i < s.to; i++)
    if (x->node[i].kind == SYNTAX_VARIABLE && x->node[i].symbol == x->node[name].symbol)
      return !loops_around(p, function, i, loop, LOOPS_MOST);
  return true;
}

/* ---- creations ---- */

static void look_at_argument(struct lint_work *work, unsigned rule, const struct lint_call *site,
                             struct code_place argument)
{
  const struct whole_program *p = work->program;
  const uint32_t name = code_is(argument) ? local_given(p, argument) : SYNTAX_NONE;
  const struct stretch whole = stretch_of(p, site->function);
  const struct stretch behind = {whole.unit, site->code.node + program_node(p, site->code)->size, whole.to};
  if (name == SYNTAX_NONE || outlives(p, site->function, name) ||
      has_word(p, behind, word_bit(WORD_JOIN) | word_bit(WORD_WAIT) | word_bit(WORD_COND_WAIT)))
    return;
  const char *text =
      syntax_name(program_syntax(p, argument), program_node(p, (struct code_place){argument.unit, name})->symbol);
  habit_tell(work, rule, site->function, argument.node, text,
             "the address of the local variable '%s' is given to a thread that nobody waits for", text);
}

/* What a lambda captures by reference. */
static void look_at_lambda(struct lint_work *work, unsigned rule, const struct lint_call *site,
                           struct code_place lambda)
{
  const struct whole_program *p = work->program;
  if (!code_is(lambda) || program_node(p, lambda)->kind != SYNTAX_LAMBDA)
    return;
  const struct code_place captures = code_child(p, lambda, 0);
  for (unsigned i = 0; code_is(code_child(p, captures, i)); i++)
    look_at_argument(work, rule, site, code_child(p, captures, i));
}

static void look_at_creation(struct lint_work *work, unsigned rule, const struct lint_call *site)
{
  const struct whole_program *p = work->program;
  size_t length;
  const char *name = called_name(p, site->code, &length);
  const unsigned start = vocabulary_argument(p->vocabulary, WORD_THREAD, name, length);
  const struct stretch whole = stretch_of(p, site->function);
  if (!start || start == UINT_MAX)
    return;
  if (!has_word(p, whole, word_bit(WORD_DETACH)) && !sets_detached(p, site->function) &&
      !start_detaches(p, code_child(p, site->code, start)))
    return;
  look_at_lambda(work, rule, site, code_child(p, site->code, start));
  if (strncmp(name, "std::", 5) != 0) {
    look_at_argument(work, rule, site, code_child(p, site->code, start + 1));
    return;
  }
  for (unsigned i = start + 1; code_is(code_child(p, site->code, i)); i++)
    look_at_argument(work, rule, site, code_child(p, site->code, i));
}

bool local_to_detached_run(struct lint_work *work, unsigned rule)
{
  const struct whole_program *p = work->program;
  for (size_t i = 0; i < p->calls && !work->findings->failed; i++)
    if (p->symbol[p->call[i].callee].meaning & word_bit(WORD_THREAD))
      look_at_creation(work, rule, &p->call[i]);
  return true;
}
