/* SPDX-License-Identifier: Apache-2.0
 *
 * Search within bounds, in process, over random toy programs. For every bound from 0 to 3, on preemptions and on
 * delays:
 *  - dpor comes to every end that dfs comes to within the bound (states, bugs, deadlocks, loops that do not end), in no
 *    more executions than dfs runs, and says that it left something out wherever it did;
 *  - a search that goes on from what a smaller bound left out comes to the same ends;
 *  - dfs, breadth first, runs the same interleavings as depth first.
 * HEDDLE_PROGRAMS is how many programs of each kind there are (a few), HEDDLE_SEED where they begin (the clock).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/explorer.h"
#include "explore/unit.h"
#include "generated.h"
#include <stdio.h>
#include <time.h>

enum { EXECUTIONS_MOST = 4000, STEPS_MOST = 120, BOUNDS = 4, HAND_IN_ROOM = 64 << 20 };

struct walk {
  struct set ends, interleavings;
  unsigned executions, livelocks;
  bool complete, bounded;
};

static struct walk plain, reduced, resumed;

static bool on_the_way; /* the execution is not where all it can do is wait */

static unsigned watching_pick(void *state, const struct choice *c)
{
  struct explorer *x = state;
  unsigned next = strategy_dfs.pick(state, c);
  on_the_way = !x->freewheeling;
  return next;
}

static void clear(struct walk *w)
{
  set_clear(&w->ends);
  set_clear(&w->interleavings);
  w->executions = w->livelocks = 0;
  w->complete = false;
}

static void note(struct walk *w, const struct toy *t)
{
  const struct explorer *x = t->engine->strategy_state;
  bool fresh;
  if (x->aside || t->end == NEXT_BLOCKED)
    return;
  if (x->cycle[1]) {
    w->livelocks++;
    return;
  }
  w->executions++;
  uint64_t h = 0;
  for (unsigned i = 0; i < t->steps && i < TOY_LOG; i++)
    h = mix64(h ^ t->log[i]);
  set_add(&w->interleavings, h, &fresh);
  if (on_the_way || t->end != NEXT_TOO_LONG)
    set_add(&w->ends, mix64(end_number(t->program, t->state)) ^ (unsigned)(2 * t->bug + (t->end == NEXT_DEADLOCK)),
            &fresh);
  else
    w->livelocks++;
}

/* All of what the explorer has to do. */
static void walk_on(struct walk *w, struct toy *t)
{
  const struct explorer *x = t->engine->strategy_state;
  unsigned most = x->widening ? 4 * EXECUTIONS_MOST : EXECUTIONS_MOST; /* with those that are none of its own */
  w->complete = false;
  for (unsigned i = 0; i < most && !w->complete; i++) {
    on_the_way = true;
    w->complete = !toy_run(t);
    bool anew = x->breadth ? !x->begun : !x->order.events && !x->fixed && !x->redo;
    if (anew && !w->complete) /* it learnt something */
      clear(w);
    else
      note(w, t);
  }
  w->bounded = x->bounded;
}

static struct strategy watching;

static void begin(struct toy *t, enum strategy_id id, struct bound bound, uint32_t order, bool keeps)
{
  t->control->config.max_steps = STEPS_MOST;
  t->control->config.bound = bound;
  t->control->config.order = order;
  t->control->config.keeps_beyond = keeps;
  toy_use(t, id, 1);
  watching = *strategy_table[id];
  watching.pick = watching_pick;
  t->engine->strategy = &watching;
}

static void walk(struct walk *w, struct toy *t, enum strategy_id id, struct bound bound, uint32_t order)
{
  clear(w);
  begin(t, id, bound, order, false);
  walk_on(w, t);
}

/* ---- the checks ---- */

static unsigned total_plain, total_reduced, more;

/* What a loop that waits costs is known only once it was seen to wait in vain: the one search may know earlier. */
static const char *wrong(bool loops)
{
  if (!reduced.complete)
    return "dpor does not come to an end";
  if (!loops && !set_within(&reduced.ends, &plain.ends))
    return "dpor comes to an end beyond the bound";
  if (!set_within(&plain.ends, &reduced.ends))
    return "dpor misses an end";
  if (plain.livelocks && !reduced.livelocks)
    return "dpor misses a loop that does not end";
  if (reduced.bounded && !plain.bounded)
    return "dpor left something out and dfs did not";
  return NULL;
}

static void tell(const struct toy_program *p, const char *what, struct bound bound)
{
  print_message("%s, at most %u %s: dfs %u ends of %u, dpor %u of %u\n", what, bound.limit,
                bound.kind == BOUND_DELAYS ? "delays" : "preemptions", plain.ends.count, plain.executions,
                reduced.ends.count, reduced.executions);
  print_program(p);
}

static bool try_bound(struct toy *t, struct bound bound, bool loops)
{
  walk(&plain, t, STRATEGY_dfs, bound, ORDER_DEPTH);
  if (!plain.complete)
    return true;
  walk(&reduced, t, STRATEGY_dpor, bound, ORDER_DEPTH);
  const char *what = wrong(loops);
  total_plain += plain.executions;
  total_reduced += reduced.executions;
  more += reduced.executions > plain.executions;
  if (!what && !loops && reduced.executions > plain.executions)
    what = "dpor runs more than dfs";
  if (!what && !loops) {
    walk(&resumed, t, STRATEGY_dfs, bound, ORDER_BREADTH);
    if (!resumed.complete || resumed.executions != plain.executions ||
        !set_equal(&resumed.interleavings, &plain.interleavings))
      what = "breadth first is not the same";
  }
  if (what)
    tell(t->program, what, bound);
  return !what;
}

static bool try_program(const struct toy_program *p, bool loops)
{
  struct toy *t = toy_open(p);
  bool good = true;
  for (uint32_t limit = 0; limit < BOUNDS && good; limit++)
    good = try_bound(t, (struct bound){BOUND_PREEMPTIONS, limit}, loops) &&
           try_bound(t, (struct bound){BOUND_DELAYS, limit}, loops);
  toy_close(t);
  return good;
}

static uint64_t setting(const char *name, uint64_t usual)
{
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : usual;
}

static void try_programs(unsigned features)
{
  static struct generated g;
  uint64_t seed = setting("HEDDLE_SEED", (uint64_t)time(NULL)), stream = mix64(seed * 64 + features);
  unsigned programs = (unsigned)setting("HEDDLE_PROGRAMS", 8), failed = 0;
  total_plain = total_reduced = more = 0;
  for (unsigned i = 0; i < programs && failed < 3; i++) {
    generate(&g, features, &stream);
    failed += !try_program(&g.program, features & LOOPS);
  }
  print_message("seed %llu: %u programs; executions: dfs %u, dpor %u; more in %u\n", (unsigned long long)seed, programs,
                total_plain, total_reduced, more);
  assert_int_equal(failed, 0);
}

static void plain_programs(void **unused)
{
  (void)unused;
  try_programs(0);
}

static void families_of_threads(void **unused)
{
  (void)unused;
  try_programs(FAMILY);
  try_programs(FAMILY | CREATORS);
  try_programs(FAMILY | POLLS);
}

static void programs_that_end_in_a_step(void **unused)
{
  (void)unused;
  try_programs(ENDS);
  try_programs(ENDS | FAMILY);
}

static void loops_that_wait(void **unused)
{
  (void)unused;
  try_programs(LOOPS);
  try_programs(LOOPS | ENDS);
  try_programs(LOOPS | FAMILY);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_programs),
      cmocka_unit_test(families_of_threads),
      cmocka_unit_test(programs_that_end_in_a_step),
      cmocka_unit_test(loops_that_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
