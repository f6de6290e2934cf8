/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches of toy programs whose threads are held back, against brute force: whoever uses this enumerates the
 * executions that may be (end_of_run), without the engine. Depth first search must run exactly those, as sequences of
 * steps, those that cannot go on included; reduction must come to all their final states, and to no other.
 */
#ifndef HEDDLE_TESTS_HELD_SEARCH_H
#define HEDDLE_TESTS_HELD_SEARCH_H

#include "toy_world.h"

enum { STATES = 4096, RUNS = 2048 };

static struct {
  unsigned count;
  struct toy_state state[STATES];
} truth;

static struct {
  unsigned count;
  struct run {
    int steps;
    unsigned char log[64];
  } run[RUNS];
} runs;

static unsigned held_up; /* executions that end only because somebody is held */

static inline bool is_known(const struct toy_state *s)
{
  for (unsigned i = 0; i < truth.count; i++)
    if (!memcmp(&truth.state[i], s, sizeof *s))
      return true;
  return false;
}

/* One more execution, which ends there; held: only because somebody is held. False: there are too many. */
static inline bool end_of_run(const struct toy_state *state, const unsigned char *log, int steps, bool held)
{
  held_up += held;
  if (runs.count == RUNS || truth.count == STATES)
    return false;
  struct run *run = &runs.run[runs.count++];
  *run = (struct run){.steps = steps};
  memcpy(run->log, log, (size_t)steps);
  if (!is_known(state))
    truth.state[truth.count++] = *state;
  return true;
}

/* ---- the world ---- */

static bool toy_stands(void *self, unsigned task, const struct operation *op)
{
  return op_table[op->kind].blocks && !toy_world_enabled(self, task, op);
}

static bool toy_ended(void *self, unsigned task)
{
  const struct toy *t = self;
  return t->state.ended[t->code_of[task]];
}

static bool toy_is_system(void *self, unsigned task)
{
  (void)self, (void)task;
  return false;
}

static const struct object_model *toy_model(void *self, enum object_kind kind)
{
  (void)self, (void)kind;
  return NULL;
}

static void toy_locate(void *self, unsigned task, uintptr_t addr, struct whereabouts *out)
{
  (void)self, (void)task, (void)addr;
  *out = (struct whereabouts){0};
}

static uint64_t toy_place(void *self, uintptr_t pc)
{
  (void)self;
  return pc;
}

/* For observers that look at more than strategies do. */
static void watch_held(struct toy *t)
{
  t->world.stands = toy_stands;
  t->world.ended = toy_ended;
  t->world.is_system = toy_is_system;
  t->world.model = toy_model;
  t->world.locate = toy_locate;
  t->world.place = toy_place;
}

/* ---- searches ---- */

typedef struct toy *open_search(void *context, enum strategy_id strategy);

static inline int by_log(const void *a, const void *b)
{
  const struct run *x = a, *y = b;
  return x->steps != y->steps ? x->steps - y->steps : memcmp(x->log, y->log, sizeof x->log);
}

/* Every one of the runs, and no other. */
static inline void search_all(open_search *open, void *context, const char *text, unsigned program)
{
  static bool seen[RUNS];
  struct toy *t = open(context, STRATEGY_dfs);
  unsigned count = 0, stuck = 0;
  memset(seen, 0, sizeof seen);
  qsort(runs.run, runs.count, sizeof runs.run[0], by_log);
  for (bool more = true; more;) {
    more = toy_run(t);
    struct run run = {.steps = (int)t->steps};
    memcpy(run.log, t->log, (size_t)t->steps);
    const struct run *known = bsearch(&run, runs.run, runs.count, sizeof run, by_log);
    if (!known)
      fail_msg("program %u: %s: dfs ran what is not there", program, text);
    bool fresh = !seen[known - runs.run];
    seen[known - runs.run] = true;
    count += fresh;
    stuck += fresh && t->control->bugs > 0;
    t->control->bugs = 0;
  }
  toy_close(t);
  if (count != runs.count || stuck != held_up)
    fail_msg("program %u: %s: dfs ran %u of %u, and told %u of %u that cannot go on", program, text, count, runs.count,
             stuck, held_up);
}

static inline unsigned reduce(open_search *open, void *context, const char *text, unsigned program)
{
  struct toy *t = open(context, STRATEGY_dpor);
  unsigned count = 0, found = 0;
  static bool seen[STATES];
  memset(seen, 0, sizeof seen);
  for (bool more = true; more; count++) {
    more = toy_run(t);
    t->control->bugs = 0;
    if (t->end == NEXT_BLOCKED)
      continue;
    unsigned i = 0;
    while (i < truth.count && memcmp(&truth.state[i], &t->state, sizeof t->state) != 0)
      i++;
    if (i == truth.count)
      fail_msg("program %u: %s: dpor came to a state that is not there", program, text);
    found += !seen[i];
    seen[i] = true;
  }
  toy_close(t);
  if (found != truth.count)
    fail_msg("program %u: %s: dpor came to %u of %u final states", program, text, found, truth.count);
  return count;
}

#endif
