/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals after a change that was made without the mutex: what the loops around the waits for a condition ask for is
 * collected first, then each function that signals is walked.
 */
#include "lint/habit.h"
#include "lint/loops.h"
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_MOST 16

/* What is asked for around the waits for one condition variable. */
struct predicate {
  uint32_t condition; /* symbol of the program */
  uint32_t symbol[SYMBOLS_MOST];
  unsigned symbols;
  uint32_t function; /* that waits */
  struct code_place wait;
};

struct predicates {
  struct predicate *predicate;
  size_t count;
};

static uint32_t condition_symbol(const struct whole_program *p, struct code_place call, enum lint_word word)
{
  char text[OBJECT_TEXT];
  size_t length;
  const char *name = called_name(p, call, &length);
  const unsigned argument = word == WORD_COND_SIGNAL ? vocabulary_argument(p->vocabulary, word, name, length)
                                                     : strncmp(name, "std::", 5) != 0;
  return argument_text(p, call, argument, text) ? object_symbol(p, call, text) : PROGRAM_NONE;
}

/* The condition of the loop, or the questions in it where it has none. */
static void collect(const struct whole_program *p, const struct lint_loop *loop, uint32_t wait, struct predicate *out)
{
  const struct syntax *s = &p->unit[loop->unit].syntax;
  for (uint32_t i = loop->node; i < wait; i++) {
    const uint8_t kind = s->node[i].kind;
    uint32_t asked = SYNTAX_NONE;
    if (i == loop->node && (kind == SYNTAX_WHILE || kind == SYNTAX_FOR || kind == SYNTAX_DO))
      asked = syntax_child(s, i, kind == SYNTAX_WHILE ? 0 : 1);
    else if (kind == SYNTAX_IF)
      asked = i + 1;
    if (asked != SYNTAX_NONE)
      out->symbols += shared_symbols(p, (struct code_place){loop->unit, asked}, out->symbol + out->symbols,
                                     SYMBOLS_MOST - out->symbols);
  }
}

static bool add_predicate(struct predicates *all, const struct whole_program *p, const struct lint_call *site)
{
  struct lint_loop loop[LOOPS_MOST];
  struct predicate one = {
      .condition = condition_symbol(p, site->code, WORD_COND_WAIT), .function = site->function, .wait = site->code};
  if (one.condition == PROGRAM_NONE || !loops_around(p, site->function, site->code.node, loop, LOOPS_MOST) ||
      loop[0].kind != LOOP_STATEMENT)
    return true;
  collect(p, &loop[0], site->code.node, &one);
  if (!one.symbols)
    return true;
  struct predicate *grown = realloc(all->predicate, (all->count + 1) * sizeof *grown);
  if (!grown)
    return false;
  all->predicate = grown;
  all->predicate[all->count++] = one;
  return true;
}

/* ---- who signals ---- */

struct signalling {
  struct lint_work *work;
  unsigned rule;
  const struct predicates *all;
  struct code_place change[SYMBOLS_MOST]; /* without a lock, so far */
  unsigned changes;
  const struct predicate *predicate; /* of the first signal that comes after one of them; NULL: none */
  struct code_place signal, lost;    /* that signal, and the change */
};

/* No lock was taken, or released, so far: on no path. */
static bool is_untouched(const struct lock_states *states)
{
  for (unsigned i = 0; i < states->count; i++)
    if (states->state[i].held || states->state[i].released)
      return false;
  return true;
}

static void note_change(struct signalling *q, const struct whole_program *p, struct code_place change)
{
  for (unsigned i = 0; i < q->changes; i++)
    if (q->change[i].node == change.node)
      return;
  if (q->changes < SYMBOLS_MOST && code_is(changed_object(p, change)))
    q->change[q->changes++] = change;
}

static void tell_signal(const struct signalling *q, const struct lock_walk *walk)
{
  const struct whole_program *p = walk->program;
  const struct code_place call = q->signal, change = q->lost;
  const struct predicate *predicate = q->predicate;
  char text[OBJECT_TEXT] = "";
  size_t length;
  const char *name = called_name(p, call, &length);
  object_text(p, changed_object(p, change), text);
  struct lint_finding *f =
      habit_tell(q->work, q->rule, walk->function, change.node, text,
                 "'%s' is changed without the mutex before %.*s(): the signal can be lost", text, (int)length, name);
  habit_note(q->work, f, walk->function, call.node, "this is the signal");
  habit_note(q->work, f, predicate->function, predicate->wait.node, "%s() asks for '%s' and waits here",
             function_name(p, predicate->function), text);
}

static void look_at_signal(struct lock_walk *walk, enum walk_moment moment, struct code_place code,
                           const struct lock_states *states)
{
  struct signalling *q = walk->data;
  const struct whole_program *p = walk->program;
  if (!is_untouched(states))
    return;
  if (moment == WALK_CHANGE)
    note_change(q, p, code);
  if (moment != WALK_CALL || !(called_meaning(p, code) & word_bit(WORD_COND_SIGNAL)))
    return;
  const uint32_t condition = condition_symbol(p, code, WORD_COND_SIGNAL);
  for (size_t i = 0; i < q->all->count; i++) {
    const struct predicate *one = &q->all->predicate[i];
    for (unsigned k = 0; condition != PROGRAM_NONE && one->condition == condition && k < q->changes; k++) {
      const uint32_t symbol = program_symbol_of(p, code_inside(p, changed_object(p, q->change[k])));
      for (unsigned s = 0; s < one->symbols; s++)
        if (symbol == one->symbol[s] && one->function != walk->function && !q->predicate) {
          q->predicate = one;
          q->signal = code;
          q->lost = q->change[k];
        }
    }
  }
}

static bool look_at_signaller(struct lint_work *work, unsigned rule, const struct predicates *all, uint32_t function)
{
  static const char *const words[] = {"locked", "nolock",   "_init", "init_", "_create",
                                      "_new",   "_destroy", "_free", NULL};
  struct signalling q = {.work = work, .rule = rule, .all = all};
  if (name_has(function_name(work->program, function), words) ||
      has_word(work->program, stretch_of(work->program, function), word_bit(WORD_COND_WAIT)) ||
      callers_hold_lock(work, function))
    return true; /* who waits, or whose caller does, has the mutex */
  struct lock_walk *walk = malloc(sizeof *walk);
  const bool good = walk && lock_walk_run(walk, work->program, work->effects, function, look_at_signal, &q);
  if (good && q.predicate && !walk->released_first) /* who releases a mutex that it has not taken was given it */
    tell_signal(&q, walk);
  free(walk);
  return good;
}

bool unlocked_predicate_run(struct lint_work *work, unsigned rule)
{
  const struct whole_program *p = work->program;
  struct predicates all = {0};
  uint32_t last = PROGRAM_NONE;
  bool good = true;
  for (size_t i = 0; good && i < p->calls; i++) {
    const uint64_t meaning = p->symbol[p->call[i].callee].meaning;
    if (meaning & word_bit(WORD_COND_WAIT) && !(meaning & word_bit(WORD_COND_TIMED)))
      good = add_predicate(&all, p, &p->call[i]);
  }
  for (size_t i = 0; good && all.count && i < p->calls; i++)
    if (p->symbol[p->call[i].callee].meaning & word_bit(WORD_COND_SIGNAL) && p->call[i].function != last) {
      last = p->call[i].function;
      good = look_at_signaller(work, rule, &all, last);
    }
  free(all.predicate);
  return good;
}
