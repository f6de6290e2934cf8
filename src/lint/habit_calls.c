/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of functions that keep their result for one thread, in threads.
 */
#include "lint/habit.h"
#include "lint/loops.h"
#include <stdlib.h>
#include <string.h>

struct call_question {
  struct lint_work *work;
  unsigned rule;
};

#define THREAD_DEPTH 8 /* calls below what a thread begins with */

/* Whether a thread that begins with the function is created more than once: in a loop, by a function that is called in
 * one or from several places, or at several places itself. */
static bool is_started_often(const struct whole_program *p, uint32_t routine)
{
  struct lint_loop loop[LOOPS_MOST];
  unsigned places = 0;
  for (size_t i = 0; i < p->takens; i++) {
    const struct address_taken *t = &p->taken[i];
    size_t count;
    if (t->symbol != p->function[routine].symbol)
      continue;
    const struct lint_call *site = program_calls(p, p->function[t->function].symbol, &count);
    if (++places > 1 || count > 1 || p->function[t->function].runs_in_thread || p->function[t->function].is_variable ||
        loops_around(p, t->function, t->code.node, loop, LOOPS_MOST) ||
        (count && loops_around(p, site->function, site->code.node, loop, LOOPS_MOST)))
      return true;
  }
  return false;
}

/* Whether two threads may come to calls of it at the same time: those that run this function, or one of them and who
 * calls it elsewhere. */
static bool is_called_by_several(const struct whole_program *p, uint32_t symbol, uint32_t function)
{
  size_t count;
  bool often = false, elsewhere = false;
  const struct lint_call *site = program_calls(p, symbol, &count);
  unsigned char *reached = calloc(p->functions + 1, 1);
  for (uint32_t i = 0; reached && i < p->functions && !often; i++) {
    if (p->function[i].is_variable || !is_start_routine(p, i))
      continue;
    memset(reached, 0, p->functions + 1);
    program_reach(p, i, THREAD_DEPTH, reached);
    reached[i] = 1;
    if (!reached[function])
      continue;
    often = is_started_often(p, i);
    for (size_t k = 0; k < count; k++)
      elsewhere |= !reached[site[k].function];
  }
  free(reached);
  return often || elsewhere || !reached;
}

static void look_at_call(struct lock_walk *walk, enum walk_moment moment, struct code_place code,
                         const struct lock_states *states)
{
  const struct call_question *q = walk->data;
  const struct whole_program *p = walk->program;
  const uint32_t symbol = moment == WALK_CALL ? program_symbol_of(p, code) : PROGRAM_NONE;
  size_t length;
  if (symbol == PROGRAM_NONE || !(p->symbol[symbol].meaning & word_bit(WORD_ONE_THREAD)) ||
      p->symbol[symbol].function != PROGRAM_NONE || all_hold(states, UINT32_MAX) ||
      !is_called_by_several(p, symbol, walk->function))
    return;
  const char *name = called_name(p, code, &length);
  habit_tell(q->work, q->rule, walk->function, code.node, name,
             "%.*s() returns a buffer that all threads share, and %s() runs in a thread", (int)length, name,
             function_name(p, walk->function));
}

static bool look_in_thread(struct lint_work *work, unsigned rule, uint32_t function)
{
  struct call_question q = {work, rule};
  if (!work->program->function[function].runs_in_thread)
    return true;
  struct lock_walk *walk = malloc(sizeof *walk);
  const bool good = walk && lock_walk_run(walk, work->program, work->effects, function, look_at_call, &q);
  free(walk);
  return good;
}

bool one_thread_call_run(struct lint_work *work, unsigned rule)
{
  return each_function_with(work, rule, word_bit(WORD_ONE_THREAD), look_in_thread);
}
