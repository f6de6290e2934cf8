/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of orderings; see order_check.h.
 *
 * An event must come before another one if every way to meet the other's conditions has it: of "and" both sides, of
 * "or" what both sides have in common. Beside what the rules say, a thread's start comes before all its events, and its
 * end after them.
 */
#include "language/order_check.h"
#include "core/formula.h"
#include "core/without_libc.h"

/* The events that have happened whenever the condition holds. */
static uint64_t needed_by(const struct ordering *o, const struct ordering_rule *rule)
{
  uint64_t stack[2 * ORDERING_DEPTH + 2];
  unsigned depth = 0;
  for (unsigned i = rule->first; i < rule->first + rule->length; i++) {
    struct ordering_word word = o->word[i];
    if (word.kind <= ORDERING_BLOCKED) {
      stack[depth++] = ORDERING_BIT(word.event);
      continue;
    }
    depth--;
    stack[depth - 1] = word.kind == ORDERING_AND ? stack[depth - 1] | stack[depth] : stack[depth - 1] & stack[depth];
  }
  return stack[0];
}

/* By the life of the thread alone. */
static bool comes_before(const struct ordering_event *a, const struct ordering_event *b)
{
  bool same = a->thread[0] && text_compare(a->thread, b->thread) == 0;
  return same && a->kind != b->kind && (a->kind == ORDERING_START || b->kind == ORDERING_END);
}

/* Of each event, those that must have come before it. */
static void find_needed(const struct ordering *o, uint64_t needed[ORDERING_EVENTS])
{
  for (unsigned b = 0; b < o->events; b++) {
    needed[b] = 0;
    for (unsigned a = 0; a < o->events; a++)
      if (comes_before(&o->event[a], &o->event[b]))
        needed[b] |= ORDERING_BIT(a);
  }
  for (unsigned i = 0; i < o->rules; i++)
    needed[o->rule[i].event] |= needed_by(o, &o->rule[i]);
}

static void close_over(unsigned events, uint64_t needed[ORDERING_EVENTS])
{
  for (unsigned through = 0; through < events; through++)
    for (unsigned e = 0; e < events; e++)
      if (needed[e] & ORDERING_BIT(through))
        needed[e] |= needed[through];
}

static bool fails_at(unsigned line, unsigned column, struct order_error *error)
{
  error->line = line;
  error->column = column;
  return false;
}

static bool has_no_circle(const struct ordering *o, struct order_error *error)
{
  uint64_t direct[ORDERING_EVENTS], needed[ORDERING_EVENTS];
  find_needed(o, direct);
  find_needed(o, needed);
  close_over(o->events, needed);
  for (unsigned i = 0; i < o->rules; i++) {
    unsigned event = o->rule[i].event, after = event;
    char name[ORDERING_NAME + ORDERING_THREAD], next[ORDERING_NAME + ORDERING_THREAD];
    if (!(needed[event] & ORDERING_BIT(event)))
      continue;
    for (unsigned k = 0; k < o->events; k++) /* the next one on the way back */
      if (direct[event] & ORDERING_BIT(k) && (k == event || needed[k] & ORDERING_BIT(event)))
        after = k;
    ordering_event_text(o, event, name, sizeof name);
    ordering_event_text(o, after, next, sizeof next);
    if (after == event)
      print_text(error->text, sizeof error->text, "%s would have to happen before itself", name);
    else
      print_text(error->text, sizeof error->text,
                 "%s would have to happen before itself: it waits for %s, and %s for it", name, next, next);
    return fails_at(o->rule[i].line, o->rule[i].column, error);
  }
  return true;
}

/* Whether `a` is `a@t` would be known only when it happens. */
static bool has_one_thread(const struct ordering *o, struct order_error *error)
{
  for (unsigned a = 0; a < o->events; a++)
    for (unsigned b = 0; b < o->events; b++) {
      const struct ordering_event *with = &o->event[a], *without = &o->event[b];
      if (with->kind || without->kind || !with->thread[0] || without->thread[0] ||
          text_compare(with->name, without->name) != 0)
        continue;
      print_text(error->text, sizeof error->text,
                 "%s is written with its thread elsewhere, as %s@%s: name it here, too", with->name, with->name,
                 with->thread);
      return fails_at(without->line, without->column, error);
    }
  return true;
}

static bool can_be_kept(const struct ordering *o, struct order_error *error)
{
  struct formula_past past;
  formula_begin(o, &past);
  if (formula_may_hold(o, &past))
    return true;
  print_text(error->text, sizeof error->text, "no order of its events can keep this formula");
  return fails_at(1, 1, error);
}

bool order_check(const struct ordering *o, struct order_error *error)
{
  return has_one_thread(o, error) && (o->is_formula ? can_be_kept(o, error) : has_no_circle(o, error));
}
