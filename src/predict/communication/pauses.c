/* SPDX-License-Identifier: Apache-2.0
 *
 * Pauses from counterexamples; see pauses.h.
 */
#include "predict/communication/pauses.h"
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* The counterexample, then what its blocked threads want. */
struct counterexample {
  const struct trace_program *program;
  struct model_step *step;
  uint32_t performed, count;
  struct pause *pause;
  uint32_t pauses;
};

static const struct program_line *line_at(const struct counterexample *c, uint32_t i)
{
  return &c->program->body[c->step[i].thread].line[c->step[i].line];
}

static bool same_thread(const struct counterexample *c, uint32_t i, uint32_t j)
{
  return c->step[i].thread == c->step[j].thread;
}

/* It is only told of: nobody can stop before it or see that it was done. */
static bool is_told(const struct counterexample *c, uint32_t i)
{
  return c->step[i].op == OP_PREDICATE;
}

static bool is_created_after(const struct counterexample *c, uint32_t thread, uint32_t x)
{
  for (uint32_t i = x + 1; i < c->performed; i++)
    if (line_at(c, i)->kind == LINE_START && line_at(c, i)->object == thread)
      return true;
  return false;
}

/* ---- orders ---- */

static bool same_step(const struct model_step *a, const struct model_step *b)
{
  return a->thread == b->thread && a->line == b->line && a->op == b->op;
}

static void pause_before(struct counterexample *c, uint32_t held, uint32_t until)
{
  if (is_told(c, held) || is_told(c, until))
    return;
  for (uint32_t i = 0; i < c->pauses; i++)
    if (same_step(&c->pause[i].held, &c->step[held]) && same_step(&c->pause[i].until, &c->step[until]))
      return;
  if (c->pauses < PAUSES_MOST)
    c->pause[c->pauses++] = (struct pause){c->step[held], c->step[until]};
}

/* Where the thread takes the first of the locks that it holds at y. */
static uint32_t entry_of(const struct counterexample *c, uint32_t y)
{
  uint32_t locks = 0, entry = y;
  for (uint32_t i = 0; i < y; i++) {
    uint8_t kind = line_at(c, i)->kind;
    if (!same_thread(c, i, y))
      continue;
    if ((kind == LINE_ACQ || kind == LINE_SHARE) && !locks++)
      entry = i;
    else if (kind == LINE_REL && locks && !--locks)
      entry = y;
  }
  return entry;
}

/* x before y: the thread of y stops before it takes the locks that it needs for it, or, if it has them already at x, at
 * what it does next. */
static void order(struct counterexample *c, uint32_t x, uint32_t y)
{
  if (x == NONE || y == NONE || same_thread(c, x, y) || is_created_after(c, c->step[y].thread, x))
    return;
  uint32_t held = entry_of(c, y);
  if (held < x)
    for (held = x + 1; held < y && (!same_thread(c, held, y) || is_told(c, held));)
      held++;
  pause_before(c, held, x);
}

/* ---- what happens around a wait ---- */

static uint32_t guard_of(const struct counterexample *c, uint32_t wait)
{
  for (uint32_t i = wait; i-- > 0;)
    if (same_thread(c, i, wait) && line_at(c, i)->kind == LINE_IF && line_at(c, i)->flags & LINE_WAITS)
      return i;
  return NONE;
}

static bool changes(const struct counterexample *c, uint32_t i, uint32_t guard)
{
  const struct program_predicate *p = &c->program->predicate[line_at(c, guard)->object];
  const struct program_line *line = line_at(c, i);
  return (line->kind == LINE_SET || line->kind == LINE_ADD) &&
         (line->object == p->variable || (p->other && line->object == p->other));
}

static bool tells(const struct counterexample *c, uint32_t i, uint32_t wait)
{
  const struct program_line *line = line_at(c, i);
  return (line->kind == LINE_SIG || line->kind == LINE_BCAST) && line->object == line_at(c, wait)->object;
}

/* It would have told, but its condition does not hold. */
static bool is_skipped(const struct counterexample *c, uint32_t i, uint32_t wait)
{
  const struct body *body = &c->program->body[c->step[i].thread];
  uint32_t end = line_at(c, i)->jump, next = i + 1;
  bool would = false;
  if (line_at(c, i)->kind != LINE_IF || line_at(c, i)->flags & LINE_WAITS)
    return false;
  for (uint32_t k = c->step[i].line + 1; k < end && k < body->count; k++)
    would |= (body->line[k].kind == LINE_SIG || body->line[k].kind == LINE_BCAST) &&
             body->line[k].object == line_at(c, wait)->object;
  while (next < c->count && !same_thread(c, next, i))
    next++;
  return would && (next == c->count || c->step[next].line >= end);
}

static void look_before_wait(struct counterexample *c, uint32_t guard, uint32_t wait)
{
  uint32_t before = NONE, after = NONE, told = NONE;
  for (uint32_t i = 0; i < wait; i++) {
    if (guard != NONE && changes(c, i, guard)) {
      before = i < guard ? i : before;
      after = i > guard && after == NONE ? i : after;
    }
    told = tells(c, i, wait) && !same_thread(c, i, wait) ? i : told;
  }
  order(c, before, guard);
  order(c, guard, after);
  order(c, told, wait);
}

static void look_after_wait(struct counterexample *c, uint32_t guard, uint32_t wait)
{
  uint32_t cleared = NONE;
  for (uint32_t i = wait + 1; guard != NONE && i < c->performed; i++)
    cleared = changes(c, i, guard) && !same_thread(c, i, wait) ? i : cleared;
  order(c, wait, cleared);
  for (uint32_t i = 0; cleared != NONE && i < c->performed; i++)
    if (is_skipped(c, i, wait) && !same_thread(c, i, cleared) && !same_thread(c, i, wait))
      pause_before(c, entry_of(c, i), cleared);
  for (uint32_t i = c->performed; i < c->count; i++)
    if (line_at(c, i)->kind == LINE_ACQ || line_at(c, i)->kind == LINE_SHARE)
      order(c, wait, i);
}

static void look_at_wait(struct counterexample *c, const struct model_step *blocked)
{
  uint32_t wait = c->performed;
  while (wait-- > 0)
    if (c->step[wait].thread == blocked->thread && c->step[wait].line == blocked->line) {
      uint32_t guard = guard_of(c, wait);
      look_before_wait(c, guard, wait);
      look_after_wait(c, guard, wait);
      return;
    }
}

uint32_t pauses_of(const struct trace_program *p, const struct model_group *group, struct pause out[PAUSES_MOST])
{
  struct counterexample c = {.program = p, .performed = group->steps, .pause = out};
  c.count = group->steps + group->blocked_count;
  c.step = calloc(c.count + 1, sizeof *c.step);
  if (!c.step)
    return 0;
  if (group->steps)
    memcpy(c.step, group->step, group->steps * sizeof *c.step);
  if (group->blocked_count)
    memcpy(c.step + group->steps, group->blocked, group->blocked_count * sizeof *c.step);
  for (uint32_t i = 0; i < group->blocked_count; i++)
    if (group->blocked[i].op == OP_COND_WAIT)
      look_at_wait(&c, &group->blocked[i]);
  free(c.step);
  return c.pauses;
}
