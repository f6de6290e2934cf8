/* SPDX-License-Identifier: Apache-2.0
 *
 * Temporal logic of the future, as automata of its bad prefixes: a trace is a violation when no way of going on for
 * ever, one event at a time, would satisfy the formula.
 *
 * Negations are pushed down to the events. What must hold from here on is a set of formulas, a task; an event leaves a
 * choice of tasks for what follows. A task is hopeful if there is an infinite run of tasks on which no "until" is put
 * off for ever (an automaton of Büchi, with one condition for each "until"). A state of the monitor is the choice of
 * hopeful tasks that a trace leaves; the state without any is violation.
 */
#include "language/monitor_draft.h"
#include <stdlib.h>
#include <string.h>

#define PARTS 64    /* of a formula: tasks are sets of them */
#define TASKS 4096  /* of a formula */
#define CHOICES 256 /* at once */
#define WAYS 262144 /* from task to task */

enum part_kind {
  PART_TRUE,
  PART_FALSE,
  PART_EVENT,
  PART_OTHER_EVENT,
  PART_AND,
  PART_OR,
  PART_NEXT,
  PART_UNTIL,
  PART_RELEASE
};

struct part {
  enum part_kind kind;
  uint32_t left, right;
};

/* What is left to do after an event, and which "until" was put off in that. */
struct rest {
  uint64_t task, put_off;
};

struct choices {
  uint32_t count;
  struct rest choice[CHOICES];
};

struct way {
  uint32_t from, to;
  uint64_t put_off;
};

struct future {
  const struct spec *s;
  uint32_t parts, tasks, ways;
  bool full;
  struct part part[PARTS];
  uint64_t task[TASKS];
  bool hopeful[TASKS];
  struct way way[WAYS];
};

/* ---- formulas without negation ---- */

static uint32_t part_of(struct future *x, enum part_kind kind, uint32_t left, uint32_t right)
{
  for (uint32_t i = 0; i < x->parts; i++)
    if (x->part[i].kind == kind && x->part[i].left == left && x->part[i].right == right)
      return i;
  if (x->parts == PARTS) {
    x->full = true;
    return 0;
  }
  x->part[x->parts] = (struct part){kind, left, right};
  return x->parts++;
}

static uint32_t translate(struct future *x, uint32_t node, bool negated)
{
  const struct formula *f = &x->s->node[node - 1];
  uint32_t constant;
  switch (f->kind) {
  case FORMULA_TRUE:
  case FORMULA_FALSE:
    return part_of(x, (f->kind == FORMULA_TRUE) != negated ? PART_TRUE : PART_FALSE, 0, 0);
  case FORMULA_EVENT:
    return part_of(x, negated ? PART_OTHER_EVENT : PART_EVENT, f->left, 0);
  case FORMULA_NOT:
    return translate(x, f->left, !negated);
  case FORMULA_NEXT:
    return part_of(x, PART_NEXT, translate(x, f->left, negated), 0);
  case FORMULA_ALWAYS: /* false R f, and its negation true U !f */
  case FORMULA_EVENTUALLY: {
    bool until = (f->kind == FORMULA_EVENTUALLY) != negated;
    constant = part_of(x, until ? PART_TRUE : PART_FALSE, 0, 0);
    return part_of(x, until ? PART_UNTIL : PART_RELEASE, constant, translate(x, f->left, negated));
  }
  case FORMULA_UNTIL:
  case FORMULA_RELEASE: {
    bool until = (f->kind == FORMULA_UNTIL) != negated;
    uint32_t left = translate(x, f->left, negated);
    return part_of(x, until ? PART_UNTIL : PART_RELEASE, left, translate(x, f->right, negated));
  }
  default: { /* and, or, implies */
    bool either = (f->kind != FORMULA_AND) != negated;
    uint32_t left = translate(x, f->left, negated != (f->kind == FORMULA_IMPLIES));
    return part_of(x, either ? PART_OR : PART_AND, left, translate(x, f->right, negated));
  }
  }
}

/* ---- what an event leaves to do ---- */

static bool is_within(uint64_t a, uint64_t b)
{
  return !(a & ~b);
}

/* Without those that ask for more than another one. */
static void choices_add(struct future *x, struct choices *c, struct rest new)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < c->count; i++)
    if (is_within(c->choice[i].task, new.task) && is_within(c->choice[i].put_off, new.put_off))
      return;
  for (uint32_t i = 0; i < c->count; i++)
    if (!is_within(new.task, c->choice[i].task) || !is_within(new.put_off, c->choice[i].put_off))
      c->choice[kept++] = c->choice[i];
  c->count = kept;
  if (kept == CHOICES)
    x->full = true;
  else
    c->choice[c->count++] = new;
}

static void choices_unite(struct future *x, struct choices *a, const struct choices *b)
{
  for (uint32_t i = 0; i < b->count; i++)
    choices_add(x, a, b->choice[i]);
}

static void choices_combine(struct future *x, struct choices *a, const struct choices *b)
{
  struct choices both = {0};
  for (uint32_t i = 0; i < a->count && !x->full; i++)
    for (uint32_t k = 0; k < b->count; k++)
      choices_add(x, &both,
                  (struct rest){a->choice[i].task | b->choice[k].task, a->choice[i].put_off | b->choice[k].put_off});
  *a = both;
}

static void expand(struct future *x, uint32_t part, uint32_t letter, struct choices *out)
{
  const struct part *p = &x->part[part];
  struct choices other = {0};
  uint64_t self = UINT64_C(1) << part;
  out->count = 0;
  if (x->full)
    return;
  switch (p->kind) {
  case PART_FALSE:
    return;
  case PART_TRUE:
    choices_add(x, out, (struct rest){0, 0});
    return;
  case PART_EVENT:
  case PART_OTHER_EVENT:
    if ((p->left == letter) == (p->kind == PART_EVENT))
      choices_add(x, out, (struct rest){0, 0});
    return;
  case PART_NEXT:
    choices_add(x, out, (struct rest){UINT64_C(1) << p->left, 0});
    return;
  case PART_AND:
  case PART_OR:
    expand(x, p->left, letter, out);
    expand(x, p->right, letter, &other);
    (p->kind == PART_AND ? choices_combine : choices_unite)(x, out, &other);
    return;
  case PART_UNTIL: /* the right side now, or the left side now and all of it later */
    expand(x, p->left, letter, out);
    other = (struct choices){1, {{self, self}}};
    choices_combine(x, out, &other);
    expand(x, p->right, letter, &other);
    choices_unite(x, out, &other);
    return;
  case PART_RELEASE: /* the right side now, and the left side now or all of it later */
    expand(x, p->left, letter, out);
    choices_add(x, out, (struct rest){self, 0});
    expand(x, p->right, letter, &other);
    choices_combine(x, out, &other);
    return;
  }
}

static void expand_task(struct future *x, uint64_t task, uint32_t letter, struct choices *out)
{
  *out = (struct choices){1, {{0, 0}}};
  for (; task && !x->full; task &= task - 1) {
    struct choices of_part;
    expand(x, (uint32_t)__builtin_ctzll(task), letter, &of_part);
    choices_combine(x, out, &of_part);
  }
}

/* ---- hope ---- */

static uint32_t task_number(struct future *x, uint64_t task)
{
  for (uint32_t i = 0; i < x->tasks; i++)
    if (x->task[i] == task)
      return i;
  if (x->tasks == TASKS) {
    x->full = true;
    return 0;
  }
  x->task[x->tasks] = task;
  return x->tasks++;
}

static void find_tasks(struct future *x, uint32_t letters)
{
  for (uint32_t i = 0; i < x->tasks; i++)
    for (uint32_t letter = 0; letter < letters && !x->full; letter++) {
      struct choices c;
      expand_task(x, x->task[i], letter, &c);
      for (uint32_t k = 0; k < c.count && !x->full; k++) {
        uint32_t to = task_number(x, c.choice[k].task);
        if (x->ways == WAYS)
          x->full = true;
        else
          x->way[x->ways++] = (struct way){i, to, c.choice[k].put_off};
      }
    }
}

/* Those of the hopeful tasks from which ways between hopeful ones lead to one that does not put the part off. */
static bool narrow(struct future *x, uint64_t part)
{
  static bool reaches[TASKS];
  bool changed = false;
  memset(reaches, 0, sizeof reaches);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < x->ways; i++) {
      const struct way *w = &x->way[i];
      if (!reaches[w->from] && x->hopeful[w->from] && x->hopeful[w->to] && (!(w->put_off & part) || reaches[w->to]))
        more = reaches[w->from] = true;
    }
  }
  for (uint32_t i = 0; i < x->tasks; i++) {
    changed |= x->hopeful[i] && !reaches[i];
    x->hopeful[i] &= reaches[i];
  }
  return changed;
}

/* The largest set of tasks that can go on within it for ever and put nothing off for ever. */
static void find_hopeful(struct future *x)
{
  memset(x->hopeful, true, sizeof x->hopeful);
  for (bool changed = true; changed;) {
    changed = narrow(x, 0);
    for (uint32_t i = 0; i < x->parts; i++)
      if (x->part[i].kind == PART_UNTIL)
        changed |= narrow(x, UINT64_C(1) << i);
  }
}

/* ---- states ---- */

static int by_task(const void *a, const void *b)
{
  uint64_t x = ((const struct rest *)a)->task, y = ((const struct rest *)b)->task;
  return x < y ? -1 : x > y;
}

/* Without the hopeless ones; what was put off on the way does not matter any more. */
static void settle(struct future *x, struct choices *c)
{
  struct choices hopeful = {0};
  for (uint32_t i = 0; i < c->count; i++)
    if (x->hopeful[task_number(x, c->choice[i].task)])
      choices_add(x, &hopeful, (struct rest){c->choice[i].task, 0});
  qsort(hopeful.choice, hopeful.count, sizeof *hopeful.choice, by_task);
  *c = hopeful;
}

static bool same_choices(const struct choices *a, const struct choices *b)
{
  bool same = a->count == b->count;
  for (uint32_t i = 0; same && i < a->count; i++)
    same = a->choice[i].task == b->choice[i].task;
  return same;
}

/* DRAFT_NONE when there are too many. */
static uint32_t state_of(struct monitor_draft *d, struct choices **states, const struct choices *c)
{
  for (uint32_t q = 0; q < d->states; q++)
    if (same_choices(states[q], c))
      return q;
  struct choices *kept = malloc(sizeof *kept);
  uint32_t q = kept ? draft_state(d, c->count ? 0 : CATEGORY_VIOLATION) : DRAFT_NONE;
  if (q == DRAFT_NONE) {
    free(kept);
    return q;
  }
  *kept = *c;
  states[q] = kept;
  return q;
}

static bool make_states(struct future *x, struct monitor_draft *d, struct choices **states)
{
  struct choices c = {1, {{x->task[0], 0}}};
  settle(x, &c);
  if (x->full || state_of(d, states, &c) == DRAFT_NONE)
    return false;
  for (uint32_t q = 0; q < d->states; q++)
    for (uint32_t letter = 0; letter < d->letters; letter++) {
      struct choices next = {0};
      for (uint32_t i = 0; i < states[q]->count; i++) {
        expand_task(x, states[q]->choice[i].task, letter, &c);
        settle(x, &c);
        choices_unite(x, &next, &c);
      }
      settle(x, &next);
      uint32_t to = x->full ? DRAFT_NONE : state_of(d, states, &next);
      if (to == DRAFT_NONE)
        return false;
      d->edge[(size_t)q * d->letters + letter] = (uint16_t)to;
    }
  return true;
}

bool draft_from_future(struct monitor_draft *d, const struct spec *s)
{
  struct future *x = calloc(1, sizeof *x);
  struct choices **states = calloc(DRAFT_STATES, sizeof *states);
  bool made = false;
  if (x && states) {
    x->s = s;
    uint32_t root = translate(x, s->root, false);
    if (!x->full) {
      task_number(x, UINT64_C(1) << root);
      find_tasks(x, d->letters);
      find_hopeful(x);
      made = !x->full && make_states(x, d, states);
    }
  }
  for (uint32_t q = 0; states && q < d->states; q++)
    free(states[q]);
  free(states);
  free(x);
  return made;
}
