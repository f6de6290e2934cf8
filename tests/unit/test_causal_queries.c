/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of the search by causality (causal/search.c) beside those of Z3 (smt_oracle.h), on traces of random programs:
 * where the search found a beginning in which a step sees something else there is one, where it found none there is
 * none, and there is none that is not within those it found.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "generated.h"
#include "smt_oracle.h"

struct tally {
  unsigned questions, possible;
  unsigned steps;          /* that were asked of, with all that they could see at once */
  double by_search, by_z3; /* seconds of the processor */
};

static double processor_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool is_asked(const struct causal_trace *t, const struct causal_event *e)
{
  return (e->rule == RULE_MEMORY && t->access[e->access].reads) || e->rule == RULE_TRYLOCK;
}

/* What the step could see: what somebody wrote there, or what was there; or the other outcome. */
static unsigned find_values(const struct causal_trace *t, const struct causal_event *e, uint64_t *out)
{
  unsigned n = 0;
  if (e->rule == RULE_TRYLOCK) {
    out[n++] = !e->outcome;
    return n;
  }
  const struct causal_access *own = &t->access[e->access];
  out[n++] = t->word[own->word].start;
  for (uint32_t i = 0; i < t->accesses; i++)
    if (t->access[i].writes && t->access[i].word == own->word)
      out[n++] = t->access[i].left;
  unsigned kept = 0;
  for (unsigned i = 0; i < n; i++) {
    bool known = out[i] == own->seen;
    for (unsigned j = 0; j < kept; j++)
      known |= out[j] == out[i];
    if (!known)
      out[kept++] = out[i];
  }
  return kept;
}

static void say_target(struct smt *s, uint32_t step, uint64_t value)
{
  const struct causal_event *e = &s->t->event[step];
  if (e->rule == RULE_TRYLOCK)
    smt_say(s, value ? Z3_mk_not(s->z, smt_somebody_holds(s, step)) : smt_somebody_holds(s, step));
  else
    smt_say(s, smt_sees(s, step, value));
}

/* False: they disagree. */
static bool agree(struct causal *c, struct smt *s, const struct causal_event *e, uint64_t value, uint32_t first,
                  struct tally *n)
{
  uint32_t step = (uint32_t)(e - c->trace.event);
  bool found = false;
  uint64_t sign = causal_mix(e->what, value);
  Z3_solver_push(s->z, s->solver);
  smt_ask(s, step);
  say_target(s, step, value);
  for (uint32_t i = first; i < c->work.count; i++) {
    const struct causal_course *course = causal_course_at(&c->work, c->work.start[i]);
    found |= course->wanted == sign && !course->dropped;
  }
  bool possible = smt_is_possible(s);
  for (uint32_t i = first; i < c->work.count; i++) {
    const struct causal_course *course = causal_course_at(&c->work, c->work.start[i]);
    if (course->wanted == sign && !course->dropped)
      smt_say_beyond(s, course);
  }
  bool more = possible && found && smt_is_possible(s);
  Z3_solver_pop(s->z, s->solver, 1);
  n->questions += 1 + found;
  n->possible += possible;
  if (possible != found || more)
    print_message("thread %u, step %u (%s), value %" PRIu64 ": the search found %s, Z3 %s\n", e->thread, e->nth,
                  op_table[e->kind].name, value, found ? "some" : "none",
                  more       ? "more"
                  : possible ? "some"
                             : "none");
  return possible == found && !more;
}

static bool check_trace(struct causal *c, struct tally *n)
{
  double begun = processor_seconds();
  struct smt *s = smt_open(&c->trace);
  n->by_z3 += processor_seconds() - begun;
  bool good = true;
  for (uint32_t i = 0; i < c->trace.events && good; i++) {
    const struct causal_event *e = &c->trace.event[i];
    uint64_t value[SMT_EVENTS];
    if (!is_asked(&c->trace, e))
      continue;
    c->steps_left = CAUSAL_STEPS_MOST;
    double begun = processor_seconds();
    uint32_t first = causal_ask(c, e);
    double answered = processor_seconds();
    unsigned values = find_values(&c->trace, e, value);
    for (unsigned v = 0; v < values && good; v++)
      good = agree(c, s, e, value[v], first, n);
    n->steps++;
    n->by_search += answered - begun;
    n->by_z3 += processor_seconds() - answered;
    c->work.count = 0;
    c->work.pool_used = 0;
  }
  smt_close(s);
  return good;
}

/* Its search, but with no executions that it knows. */
static void ask_anew(struct causal *q, const struct causal *c)
{
  memcpy(&q->trace, &c->trace, sizeof q->trace);
  memcpy(q->prefix_of, c->prefix_of, sizeof q->prefix_of);
}

static unsigned how_many(unsigned by_default)
{
  const char *n = getenv("CAUSAL_QUESTIONS");
  return n ? (unsigned)atoi(n) : by_default;
}

static uint64_t first_seed(void)
{
  const char *n = getenv("CAUSAL_SEED");
  return n ? strtoull(n, NULL, 10) : 1;
}

static void search_and_z3_agree(void **unused)
{
  (void)unused;
  struct causal *q = toy_memory(sizeof *q);
  struct tally n = {0};
  for (uint64_t seed = first_seed(); n.questions < how_many(400); seed++) {
    static struct generated g;
    uint64_t stream = seed;
    generate(&g, seed & 1 ? FAMILY : 0, &stream);
    struct toy *t = toy_open(&g.program);
    toy_use(t, STRATEGY_causal, 1);
    const struct causal *c = t->engine->strategy_state;
    for (unsigned runs = 0, more = true; more && runs < 4; runs++) { /* of many programs rather than all of one */
      more = toy_run(t);
      if (c->aside || c->strayed)
        continue;
      ask_anew(q, c);
      if (!check_trace(q, &n)) {
        print_message("seed %" PRIu64 ", run %u\n", seed, runs);
        print_program(&g.program);
        fail();
      }
    }
    toy_close(t);
  }
  print_message(
      "%u questions, %u of %u values possible; of %u steps, a step: search %.1f us, Z3 %.1f us; a question: Z3 "
      "%.1f us\n",
      n.questions, n.possible, n.questions, n.steps, n.by_search / n.steps * 1e6, n.by_z3 / n.steps * 1e6,
      n.by_z3 / n.questions * 1e6);
  munmap(q, sizeof *q);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(search_and_z3_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
