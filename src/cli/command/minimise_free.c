/* SPDX-License-Identifier: Apache-2.0
 *
 * Making a stress test smaller without heddle's scheduler, for comparison: the same candidates, or parts picked at
 * random, each run once as a process of its own. A failure is the same when its words and its place
 * are. */
#include "cli/command/minimise.h"
#include "cli/find/freerun.h"
#include "core/rng.h"
#include "session/console.h"
#include "strategy/candidates.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_RUNS 100
#define TICK_MS 5

static bool out_of_time(const struct minimisation *m)
{
  return now_seconds() >= m->until || interrupt_count();
}

/* One run of a part of the test. False: it could not be run, which was told. */
static bool run_free(const struct minimisation *m, const struct subset *part, struct stress_outcome *outcome)
{
  const struct options *o = m->options;
  struct free_program program;
  struct free_run run;
  bool any = o->exit_status == EXIT_STATUS_ANY;
  if (!stress_keep(part) || !free_open(&program, m->target, 0))
    return false;
  bool started = free_start(&run, &program, STRESS_PLAIN, 0);
  while (started && !free_look(&run, o->hang, any ? 0 : (unsigned)o->exit_status, any, outcome)) {
    struct pollfd fds[2] = {{.fd = run.end_fd, .events = POLLIN}, {.fd = run.output_fd, .events = POLLIN}};
    poll(fds, 2, TICK_MS);
  }
  free_close(&program);
  return started;
}

/* The first failure there is. False: there was none, or an error. */
static bool find_failure(struct minimisation *m, struct stress_outcome *failure)
{
  struct minimised *r = &m->report;
  while (!out_of_time(m)) {
    if (!run_free(m, &m->kept, failure))
      return false;
    r->runs_to_fail++;
    if (!failure->bug)
      continue;
    snprintf(m->message, sizeof m->message, "%s", failure->text);
    snprintf(m->where, sizeof m->where, "%s", failure->where);
    r->kind = bug_kind_name[failure->kind];
    r->message = m->message;
    r->where = m->where;
    return true;
  }
  return false;
}

static bool fails_same(struct minimisation *m, const struct subset *part, const struct stress_outcome *wanted)
{
  struct stress_outcome outcome;
  m->report.runs++;
  return run_free(m, part, &outcome) && outcome.bug && outcome.kind == wanted->kind &&
         !strcmp(outcome.text, wanted->text) && !strcmp(outcome.where, wanted->where);
}

static void reduce(struct minimisation *m, const struct stress_outcome *failure)
{
  struct candidates *c = calloc(1, sizeof *c);
  if (!c)
    return;
  candidates_open(c, m->calls.threads, m->calls.calls, NULL);
  while (!out_of_time(m) && !(m->report.complete = !candidates_next(c)))
    candidates_tell(c, fails_same(m, &c->tried, failure));
  m->kept = c->kept;
  free(c);
}

/* As many calls as chance says, wherever they are. */
static void remove_some(struct subset *part, uint64_t *random)
{
  uint32_t left = subset_call_count(part), out = 1 + rng_below(random, left - 1);
  for (uint32_t t = 0; t < part->threads; t++)
    for (uint32_t c = 0; c < part->calls; c++)
      if (subset_has(part, t, c)) {
        if (rng_below(random, left) < out) {
          subset_remove(part, t, c);
          out--;
        }
        left--;
      }
}

static void reduce_at_random(struct minimisation *m, const struct stress_outcome *failure)
{
  uint64_t random = mix64(m->options->seed), runs = m->options->runs ? m->options->runs : RANDOM_RUNS;
  struct subset part;
  while (m->report.runs < runs && !out_of_time(m) && subset_call_count(&m->kept) > 1) {
    part = m->kept;
    remove_some(&part, &random);
    if (fails_same(m, &part, failure))
      m->kept = part;
  }
  m->report.complete = !out_of_time(m);
}

bool minimise_free(struct minimisation *m)
{
  struct stress_outcome failure;
  double started = now_seconds();
  subset_fill(&m->kept, m->calls.threads, m->calls.calls);
  if (find_failure(m, &failure)) {
    if (m->options->how == MINIMISE_RANDOM)
      reduce_at_random(m, &failure);
    else
      reduce(m, &failure);
  }
  m->report.seconds = now_seconds() - started;
  return stress_keep(NULL);
}
