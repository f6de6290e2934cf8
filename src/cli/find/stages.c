/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches in stages, see the header.
 */
#include "cli/find/stages.h"
#include "session/console.h"

#define FIRST_TURN 0.15      /* of the time there is, */
#define FIRST_SECONDS 2.0    /* or so long, if there is no limit */
#define HOPELESS 3.0         /* times longer than there is time */
#define TURNS_OF_CAUSALITY 2 /* where interleavings are hopeless: the rest is for samples */
#define SAMPLED 0.5          /* of the time of interleavings, where nothing tells how long these will take */

/* ---- results ---- */

static void add_counts(struct session_result *sum, const struct session_result *r)
{
  sum->executions += r->executions;
  sum->cut += r->cut;
  sum->blocked += r->blocked;
  sum->steps += r->steps;
  sum->seconds += r->seconds;
  sum->end = r->end;
}

/* Bugs of the part before that the next one did not see. They are told when all parts are through, so that the one that
 * ends executions comes first, wherever it was found. */
static void keep_bugs(struct session_result *next, struct session_result *before)
{
  for (size_t i = 0; i < before->bug_count; i++)
    session_add_bug(next, &before->bugs[i]);
  next->bugs_left_out |= before->bugs_left_out;
  if (before->exit_status >= 0 && next->exit_status >= 0)
    next->exits_differ |= before->exit_status != next->exit_status;
  else if (next->exit_status < 0)
    next->exit_status = before->exit_status;
  next->exits_differ |= before->exits_differ;
  for (size_t i = 0; i < next->bug_count; i++)
    next->bugs[i].bug.constant &= !next->exits_differ;
}

void stage_add(struct session_result *result, struct session_result *next)
{
  struct session_result before = *result;
  keep_bugs(next, &before);
  uint64_t threads = before.max_threads > next->max_threads ? before.max_threads : next->max_threads;
  *result = *next;
  ordering_tallies_add(result, before.orderings);
  property_events_add(result, before.property_events);
  result->executions = before.executions;
  result->cut = before.cut;
  result->blocked = before.blocked;
  result->steps = before.steps;
  result->asking += before.asking;
  if (!result->planned.executions)
    result->planned = before.planned;
  result->seconds = before.seconds;
  add_counts(result, next);
  result->max_threads = threads;
  result->instrumented |= before.instrumented;
  result->assumed |= before.assumed;
  session_free(&before);
}

/* ---- stages ---- */

void stage_sample(struct hunt *hunt, unsigned nth, double seconds, struct session_result *result)
{
  struct session_result next;
  hunt->config.strategy = STRATEGY_portfolio;
  const uint64_t apart = (uint64_t)nth << 32; /* the next seed that a person would take is another one */
  hunt->config.seed += apart;
  hunt_search(hunt, 0, seconds, &next);
  hunt->config.seed -= apart;
  stage_add(result, &next);
}

/* How a search in turns stands. */
struct turns {
  struct hunt *hunt;
  struct division division; /* of the interleavings: it goes on where it stood, */
  struct division classes;  /* and so does that of what steps see of each other */
  double limit, until;      /* seconds; limit 0: there is none */
  double turn;              /* so long is the next one */
  double explored;          /* seconds of interleavings so far */
  uint64_t missed;          /* by them so far */
  unsigned turns;           /* of causality, */
  bool given_up;            /* interleavings were: they would not end in time by far; */
  bool unsure;              /* nothing tells whether they will: there is a pause for samples, */
  double pause;             /* which comes after so many seconds of interleavings; 0: none is wanted; */
  unsigned pauses;          /* so far */
  bool useless;             /* causality was: it came to an end that proves nothing, or is not wanted */
};

static double time_of(const struct turns *t)
{
  double left = t->until - now_seconds();
  return t->limit > 0 && left < t->turn ? left : t->turn;
}

/* Whether the exploration will not end in time, as far as one can tell, or nothing tells and samples should have their
 * part. It is asked until the last worker has ended, and what was decided stays so: the estimate may have changed its
 * mind by then. */
static bool gives_way(void *context, const struct division *d, double elapsed)
{
  struct turns *t = context;
  struct forecast_answer answer;
  double so_far = t->explored + elapsed;
  if (t->given_up || t->unsure || t->limit <= 0)
    return t->given_up || t->unsure;
  if (so_far < FIRST_TURN * t->limit || !d->tally.executions || !forecast_get(&d->forecast, &answer))
    return false;
  double total = scaled_to_double(answer.low) / (double)d->tally.executions * so_far;
  t->given_up = total > HOPELESS * t->limit;
  t->unsure = !t->given_up && !answer.known && t->pause > 0 && so_far >= t->pause;
  return t->given_up || t->unsure;
}

/* What the division had counted before is part of the result already. */
static void count_since(struct session_result *next, const struct handed *before)
{
  next->executions -= before->executions;
  next->cut -= before->cut;
  next->blocked -= before->blocked;
  next->steps -= before->steps;
}

static void explore_interleavings(struct turns *t, struct session_result *result)
{
  const struct handed before = t->division.tally;
  const uint64_t epoch = t->division.epoch;
  struct session_result next;
  t->hunt->config.strategy = STRATEGY_dpor;
  hunt_explore(t->hunt, &t->division, time_of(t), gives_way, t, &next);
  t->explored += next.seconds;
  next.missed = t->missed |= next.missed;
  next.complete &= !next.missed;
  if (epoch == t->division.epoch)
    count_since(&next, &before);
  stage_add(result, &next);
}

/* What needs many switches in a row is found by samples, long before an exploration comes there. */
static void sample_between(struct turns *t, struct session_result *result)
{
  double left = t->until - now_seconds(), seconds = SAMPLED * t->pause;
  stage_sample(t->hunt, ++t->pauses, seconds < left ? seconds : left, result);
  t->unsure = false;
  t->pause *= 2;
}

bool stage_causality(struct hunt *hunt, struct division *division, double seconds, struct session_result *result)
{
  const struct json_estimate estimate = hunt->estimate; /* of interleavings */
  const uint64_t explored = hunt->explored, missed = result->missed, epoch = division->epoch;
  const struct handed before = division->tally;
  struct session_result next;
  hunt->config.strategy = STRATEGY_causal;
  hunt_explore(hunt, division, seconds, NULL, NULL, &next);
  bool ended = next.finished;
  if (epoch == division->epoch)
    count_since(&next, &before);
  stage_add(result, &next);
  if (result->complete)
    return true;
  hunt->estimate = estimate;
  hunt->explored = explored;
  result->missed = missed; /* what it cannot say is no loss of the others */
  result->finished = false;
  return ended;
}

/* With no bug, and neither at its end nor stopped. */
static bool goes_on(const struct turns *t, const struct session_result *r)
{
  bool found = hunt_has_fatal_bug(t->hunt, r);
  return !r->finished && (!found || t->hunt->config.keep_going) && (r->end == SESSION_TIME || r->end == SESSION_DONE) &&
         (t->limit <= 0 || now_seconds() < t->until - 0.001);
}

void explore_in_turns(struct hunt *hunt, double seconds, bool causality, struct session_result *result)
{
  struct turns t = {.hunt = hunt,
                    .limit = seconds,
                    .until = now_seconds() + seconds,
                    .turn = !causality    ? seconds
                            : seconds > 0 ? FIRST_TURN * seconds
                                          : FIRST_SECONDS,
                    .pause = causality ? 0 : FIRST_TURN * seconds,
                    .useless = !causality};
  if (!division_open(&t.division) || !division_open(&t.classes)) {
    *result = (struct session_result){.end = SESSION_FAILED, .status = STATUS_FAILED, .error = "no memory left"};
    return;
  }
  for (bool open = true; open; t.turn *= 2) {
    if (!t.given_up)
      explore_interleavings(&t, result);
    open = goes_on(&t, result);
    if (open && t.unsure) {
      sample_between(&t, result);
      open = goes_on(&t, result);
    }
    t.useless |= result->missed != 0; /* what is lost is lost for any proof */
    if (open && !t.useless) {
      t.useless = stage_causality(hunt, &t.classes, time_of(&t), result);
      t.turns++;
      open = goes_on(&t, result);
    }
    open &= !t.given_up || (!t.useless && t.turns < TURNS_OF_CAUSALITY);
  }
  if (t.given_up && result->end == SESSION_TIME)
    result->end = SESSION_DONE; /* there is time for something else */
  if (!result->complete)
    hunt->config.strategy = STRATEGY_dpor;
  division_close(&t.division);
  division_close(&t.classes);
}
