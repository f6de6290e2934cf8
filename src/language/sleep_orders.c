/* SPDX-License-Identifier: Apache-2.0
 *
 * The order that sleeps stand for; see sleep_orders.h.
 *
 * What follows from what is known by clocks: of each thread, how many marks of every other one have surely been passed
 * when it is where it is.
 */
#include "language/sleep_orders.h"
#include <stdlib.h>
#include <string.h>

/* A mark that was passed. */
struct pass {
  struct sleep_instance is;
  uint32_t position; /* among those of its thread, from 1 */
  size_t at;         /* the step that it is */
  size_t over;       /* of a sleep: the step that ended it; else the same */
};

struct passes {
  struct pass *pass;
  size_t count;
};

struct known_marks {
  uint32_t passed[MAX_THREADS];
};

/* What is known of a thread when a sleep is over. */
struct candidate {
  struct sleep_fact fact[SLEEP_FACTS];
  size_t facts;
  const struct pass *surely; /* it has passed this, whichever it is */
  bool dropped;
};

struct finding_orders {
  const struct sleep_marks *marks;
  const struct c_file *file;
  const struct sleep_run *run;
  struct passes *passes; /* of each run */
  size_t runs;
  struct known_marks *clock; /* of each thread */
  struct known_marks **at;   /* of each pass of the first run */
  struct sleep_orders *out;
  size_t room;
};

/* ---- what was passed ---- */

static uint32_t times_before(const struct passes *p, struct sleep_instance is)
{
  uint32_t n = 0;
  for (size_t i = 0; i < p->count; i++)
    n += p->pass[i].is.mark == is.mark && p->pass[i].is.thread == is.thread;
  return n;
}

/* The end of the sleep that the mark stands behind. */
static size_t sleep_over(const struct sleep_run *run, size_t at)
{
  for (size_t i = at; i-- > 0;) {
    if (run->step[i].thread != run->step[at].thread)
      continue;
    return run->step[i].kind == STEP_SLEPT ? i : at;
  }
  return at;
}

static bool read_passes(struct passes *p, const struct sleep_run *run)
{
  uint32_t position[MAX_THREADS] = {0};
  p->pass = calloc(run->steps + 1, sizeof *p->pass);
  for (size_t i = 0; p->pass && i < run->steps; i++) {
    const struct sleep_step *s = &run->step[i];
    if (s->kind != STEP_MARK)
      continue;
    struct sleep_instance is = {s->what, s->thread, 0};
    is.nth = times_before(p, is) + 1;
    p->pass[p->count++] = (struct pass){is, ++position[s->thread], i, sleep_over(run, i)};
  }
  return p->pass;
}

static const struct pass *find_pass(const struct passes *p, struct sleep_instance is)
{
  for (size_t i = 0; i < p->count; i++)
    if (p->pass[i].is.mark == is.mark && p->pass[i].is.thread == is.thread && p->pass[i].is.nth == is.nth)
      return &p->pass[i];
  return NULL;
}

/* The last one of the thread before the step. */
static const struct pass *last_pass(const struct passes *p, uint32_t thread, size_t before)
{
  const struct pass *last = NULL;
  for (size_t i = 0; i < p->count && p->pass[i].at < before; i++)
    if (p->pass[i].is.thread == thread)
      last = &p->pass[i];
  return last;
}

/* ---- where others are when a sleep is over ---- */

static const struct sleep_step *next_step(const struct sleep_run *run, uint32_t thread, size_t behind)
{
  for (size_t i = behind + 1; i < run->steps; i++)
    if (run->step[i].thread == thread)
      return &run->step[i];
  for (size_t i = 0; i < run->left_count; i++)
    if (run->left[i].thread == thread)
      return &run->left[i];
  return NULL;
}

/* Not who sleeps itself; and who only waits for the end of a thread does nothing any more. */
static bool is_blocked(const struct sleep_run *run, uint32_t thread, size_t at)
{
  const struct sleep_step *next = next_step(run, thread, at);
  return next && next->blocked && !next->joins && next->kind != STEP_SLEPT && next->since <= run->step[at].step;
}

static bool passed_everywhere(const struct finding_orders *f, const struct pass *pass, struct sleep_instance sleep)
{
  for (size_t r = 1; r < f->runs; r++) {
    const struct pass *over = find_pass(&f->passes[r], sleep), *there = find_pass(&f->passes[r], pass->is);
    if (!over || !there || there->at > over->over)
      return false;
  }
  return true;
}

static bool is_same(struct sleep_instance a, struct sleep_instance b)
{
  return a.mark == b.mark && a.thread == b.thread && a.nth == b.nth;
}

/* Whether the thread always comes to the one before the other, as far as runs show both. */
static bool comes_first(const struct finding_orders *f, struct sleep_instance one, struct sleep_instance other)
{
  bool seen = false;
  for (size_t r = 0; r < f->runs; r++) {
    const struct pass *a = find_pass(&f->passes[r], one), *b = find_pass(&f->passes[r], other);
    if (a && b && a->position > b->position)
      return false;
    seen |= a && b;
  }
  return seen;
}

/* Whether the one holds whenever the other does: by the order within the thread. */
static bool follows(const struct finding_orders *f, const struct sleep_fact *one, const struct sleep_fact *from)
{
  if (one->blocked)
    return from->blocked && is_same(one->at, from->at);
  return is_same(one->at, from->at) || comes_first(f, one->at, from->at);
}

/* False: there are too many. */
static bool add_fact(const struct finding_orders *f, struct candidate *c, struct sleep_fact fact)
{
  size_t kept = 0;
  for (size_t i = 0; i < c->facts; i++)
    if (follows(f, &c->fact[i], &fact))
      return true;
  for (size_t i = 0; i < c->facts; i++)
    if (!follows(f, &fact, &c->fact[i]))
      c->fact[kept++] = c->fact[i];
  c->facts = kept;
  if (kept == SLEEP_FACTS)
    return false;
  c->fact[c->facts++] = fact;
  return true;
}

static bool add_facts(const struct finding_orders *f, const struct pass *sleep, uint32_t thread, struct candidate *c)
{
  for (size_t r = 0; r < f->runs; r++) {
    const struct pass *over = find_pass(&f->passes[r], sleep->is);
    const struct pass *last = last_pass(&f->passes[r], thread, over->over);
    if (!last || !add_fact(f, c, (struct sleep_fact){last->is, is_blocked(&f->run[r], thread, over->over)}))
      return false;
  }
  return true;
}

/* Where the thread is when the sleep is over; false: nowhere, in some run. */
static bool find_candidate(const struct finding_orders *f, const struct pass *sleep, uint32_t thread,
                           struct candidate *out)
{
  const struct passes *p = &f->passes[0];
  const struct pass *common = last_pass(p, thread, sleep->over);
  *out = (struct candidate){0};
  while (common && !passed_everywhere(f, common, sleep->is))
    common = last_pass(p, thread, common->at);
  if (!common)
    return false;
  out->surely = common;
  if (!add_facts(f, sleep, thread, out)) {
    out->fact[0] = (struct sleep_fact){common->is, false};
    out->facts = 1;
  }
  return true;
}

/* ---- what follows from what ---- */

static void known_merge(struct known_marks *c, const struct known_marks *other)
{
  for (unsigned t = 0; t < MAX_THREADS; t++)
    if (other->passed[t] > c->passed[t])
      c->passed[t] = other->passed[t];
}

static void known_learn(const struct finding_orders *f, struct known_marks *c, const struct candidate *from)
{
  known_merge(c, f->at[from->surely - f->passes[0].pass]);
}

static bool known_has(const struct known_marks *c, const struct candidate *what)
{
  return what->facts == 1 && !what->fact[0].blocked && c->passed[what->surely->is.thread] >= what->surely->position;
}

/* Those that follow from the others, and from what the thread knows, are dropped. */
static void drop_implied(const struct finding_orders *f, const struct known_marks *known, struct candidate *list,
                         size_t count)
{
  for (size_t i = 0; i < count; i++) {
    struct known_marks others = *known;
    for (size_t k = 0; k < count; k++)
      if (k != i && !list[k].dropped)
        known_learn(f, &others, &list[k]);
    list[i].dropped = known_has(&others, &list[i]);
  }
}

/* ---- rules ---- */

static bool add_rule(struct finding_orders *f, const struct pass *sleep, const struct candidate *c)
{
  struct sleep_orders *o = f->out;
  if (o->rules == f->room) {
    const size_t room = 2 * f->room + 16;
    struct sleep_rule *more = realloc(o->rule, room * sizeof *more);
    if (!more)
      return false;
    o->rule = more;
    f->room = room;
  }
  struct sleep_rule *rule = &o->rule[o->rules++];
  *rule = (struct sleep_rule){.event = sleep->is, .facts = c->facts};
  memcpy(rule->fact, c->fact, sizeof rule->fact);
  return true;
}

/* Who did something while the thread slept, in some run. */
static struct threadset active_meanwhile(const struct finding_orders *f, struct sleep_instance sleep)
{
  struct threadset active = {0};
  for (size_t r = 0; r < f->runs; r++) {
    const struct pass *p = find_pass(&f->passes[r], sleep);
    for (size_t i = p->over; i-- > 0 && f->run[r].step[i].thread != sleep.thread;)
      if (f->run[r].step[i].kind != STEP_SLEPT)
        threadset_add(&active, f->run[r].step[i].thread);
  }
  return active;
}

/* When the sleep is over; what it waits for is ordered where its own sleep is. */
static bool sleeps_then(const struct finding_orders *f, const struct pass *sleep, uint32_t thread)
{
  const struct sleep_step *next = next_step(&f->run[0], thread, sleep->over);
  return next && next->kind == STEP_SLEPT;
}

/* What becomes of it is left in `stays`. */
static bool take_sleep(struct finding_orders *f, const struct pass *sleep, enum sleep_stays *stays)
{
  struct candidate list[MAX_THREADS];
  size_t count = 0;
  struct known_marks *known = &f->clock[sleep->is.thread];
  const struct threadset active = active_meanwhile(f, sleep->is);
  for (uint32_t t = 0; t < MAX_THREADS; t++) {
    const bool found = t != sleep->is.thread && find_candidate(f, sleep, t, &list[count]);
    count += found;
    if (!found && threadset_has(&active, t) && !sleeps_then(f, sleep, t)) {
      *stays = SLEEP_UNSEEN;
      return true;
    }
  }
  drop_implied(f, known, list, count);
  bool needed = count && !threadset_empty(&active);
  for (size_t i = 0; i < count; i++) {
    if (list[i].dropped)
      continue;
    needed = true;
    known_learn(f, known, &list[i]);
    if (!add_rule(f, sleep, &list[i]))
      return false;
  }
  if (needed)
    *stays = SLEEP_GOES;
  return true;
}

static bool is_sleep(const struct finding_orders *f, uint32_t mark)
{
  return f->marks->mark[mark].kind == MARK_SLEEP;
}

/* The first run, step by step. A sleep that nobody needs, not even once, stays. */
static bool follow(struct finding_orders *f)
{
  size_t nth = 0;
  for (size_t i = 0; i < f->run[0].steps; i++) {
    const struct sleep_step *s = &f->run[0].step[i];
    struct known_marks *own = &f->clock[s->thread];
    if (s->kind == STEP_CREATE && s->what < MAX_THREADS)
      known_merge(&f->clock[s->what], own);
    if (s->kind == STEP_JOIN && s->what < MAX_THREADS)
      known_merge(own, &f->clock[s->what]);
    if (s->kind != STEP_MARK)
      continue;
    const struct pass *pass = &f->passes[0].pass[nth];
    enum sleep_stays *stays = &f->out->stays[s->what];
    if (is_sleep(f, s->what) && (*stays == SLEEP_GOES || *stays == SLEEP_ALONE) && !take_sleep(f, pass, stays))
      return false;
    own->passed[s->thread] = pass->position;
    f->at[nth] = malloc(sizeof *f->at[nth]);
    if (!f->at[nth])
      return false;
    *f->at[nth++] = *own;
  }
  return true;
}

/* ---- sleeps that stay ---- */

static uint32_t times(const struct passes *p, uint32_t mark, uint32_t thread)
{
  return times_before(p, (struct sleep_instance){mark, thread, 0});
}

static bool varies(const struct finding_orders *f, uint32_t mark)
{
  for (size_t r = 1; r < f->runs; r++)
    for (uint32_t t = 0; t < MAX_THREADS; t++)
      if (times(&f->passes[r], mark, t) != times(&f->passes[0], mark, t))
        return true;
  return false;
}

static enum sleep_stays judge(const struct finding_orders *f, uint32_t mark)
{
  const struct c_statement *s = &f->file->statement[f->marks->mark[mark].statement];
  bool reached = false;
  for (size_t i = 0; i < f->passes[0].count; i++)
    reached |= f->passes[0].pass[i].is.mark == mark;
  return s->loops && !s->counts && s->alone ? SLEEP_POLLS
         : !reached                         ? SLEEP_UNREACHED
         : varies(f, mark)                  ? SLEEP_VARIES
                                            : SLEEP_ALONE;
}

static bool open_finding(struct finding_orders *f)
{
  f->passes = calloc(f->runs, sizeof *f->passes);
  f->clock = calloc(MAX_THREADS, sizeof *f->clock);
  f->at = calloc(f->run[0].steps + 1, sizeof(struct known_marks *));
  f->out->stays = calloc(f->marks->marks + 1, sizeof *f->out->stays);
  bool open = f->passes && f->clock && f->at && f->out->stays;
  for (size_t r = 0; open && r < f->runs; r++)
    open = read_passes(&f->passes[r], &f->run[r]);
  return open;
}

static void close_finding(struct finding_orders *f)
{
  for (size_t r = 0; f->passes && r < f->runs; r++)
    free(f->passes[r].pass);
  for (size_t i = 0; f->at && i < f->run[0].steps; i++)
    free(f->at[i]);
  free(f->passes);
  free(f->clock);
  free((void *)f->at);
}

bool sleep_orders_find(struct sleep_orders *orders, const struct sleep_marks *marks, const struct c_file *file,
                       const struct sleep_run *run, size_t runs)
{
  struct finding_orders f = {.marks = marks, .file = file, .run = run, .runs = runs, .out = orders};
  *orders = (struct sleep_orders){0};
  bool found = open_finding(&f);
  for (uint32_t i = 0; found && i < marks->marks; i++)
    if (is_sleep(&f, i))
      orders->stays[i] = judge(&f, i);
  found = found && follow(&f);
  close_finding(&f);
  if (!found)
    sleep_orders_free(orders);
  return found;
}

void sleep_orders_free(struct sleep_orders *orders)
{
  free(orders->rule);
  free(orders->stays);
  *orders = (struct sleep_orders){0};
}
