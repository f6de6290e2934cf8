/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle check: the everyday command. Sample schedules with several strategies for a while; then explore them all, if
 * that fits into the time, else all that steps can see of each other, and go on sampling. Stop at the first bug,
 * replay, shrink, explain.
 */
#include "cli/command/commands.h"
#include "cli/command/explore.h"
#include "cli/find/cluster_hunt.h"
#include "cli/find/prediction_hunt.h"
#include "cli/find/stages.h"
#include "cli/help/help.h"
#include "core/loss.h"
#include "session/console.h"
#include "session/losses.h"

#define CHECK_SECONDS 10.0
#define SAMPLED_FIRST 1000 /* executions, within a tenth of the time */
#define LAST_SAMPLES 99    /* other schedules than those of all pauses */
#define BY_CAUSALITY 0.15  /* of the time, where there are too many interleavings */

static void print_nothing_found(const struct hunt *hunt, const struct session_result *result)
{
  char count[COUNT_SIZE], seconds[COUNT_SIZE], why[LOSS_TEXT], reach[REACH_TEXT];
  const char *schedules = strategy_table[hunt->config.strategy]->name;
  const char *none = hunt_no_bug(hunt);
  format_count(result->executions, count);
  format_seconds(result->seconds, seconds);
  loss_text(result, "; not complete: ", why);
  if (result->max_threads <= 1)
    console_line("%s found in %s execution%s (%s): only one thread was ever seen, so there is nothing to schedule%s",
                 none, count, result->executions == 1 ? "" : "s", seconds, why);
  else if (result->complete)
    print_complete(hunt, result);
  else if (hunt->estimate.known)
    print_not_complete(hunt, result);
  else if (result->exhausted && hunt->config.strategy == STRATEGY_history)
    console_line("%s found in %s execution%s (%s, history schedules): the last one took no new decision", none, count,
                 result->executions == 1 ? "" : "s", seconds);
  else if (hunt->config.strategy == STRATEGY_period)
    console_line("%s found in %s execution%s (%s, %s)%s", none, count, result->executions == 1 ? "" : "s", seconds,
                 reach_text(result, reach), why);
  else if (result->exhausted && hunt->config.strategy != STRATEGY_rr)
    console_line("%s found in %s execution%s (%s): %s%s", none, count, result->executions == 1 ? "" : "s", seconds,
                 *why ? "no two of its threads were seen to meet"
                      : "its threads never meet, so every schedule is the same",
                 why);
  else
    console_line("%s found in %s execution%s (%s, %s schedules)%s", none, count, result->executions == 1 ? "" : "s",
                 seconds, schedules, why);
}

/* What makes "no bug found" worth less than it sounds. */
static void warn(const struct session_result *result)
{
  char count[COUNT_SIZE];
  if (result->executions && !result->instrumented && result->max_threads > 1)
    console_note("only calls are scheduling points; build with heddle cc to see memory accesses");
  if (result->instrumented && result->unhooked[0] && result->max_threads > 1 && !(result->missed & LOST_MODULES))
    console_note("memory accesses in %s were not seen; build it with heddle cc", result->unhooked);
  if (result->control && result->control->opaque[0])
    console_note("%s synchronises by instructions heddle does not see: only accesses that are pending at the "
                 "same time "
                 "count as data races",
                 result->control->opaque);
  print_unseen_assembly(result->control);
  if (result->cut && result->executions)
    console_note("%s execution%s cut short and proved nothing", format_count(result->cut, count),
                 result->cut == 1 ? " was" : "s were");
}

/* ---- the exhaustive part ---- */

/* Only what ends an execution ends the search. */
static bool goes_on(const struct hunt *hunt, const struct session_result *result, double left)
{
  if (hunt_has_fatal_bug(hunt, result))
    return false;
  const bool samples_see_no_more =
      result->missed == LOST_MODULES ||
      (result->finished && !(result->missed & ~(uint64_t)(LOST_OVERTAKING | LOST_UNASKED)) && result->missed);
  return result->end == SESSION_DONE && !result->complete && !samples_see_no_more && left > 0.05;
}

/* What one run could have been is often the shortest way to a deadlock. */
static void hunt_by_prediction(struct hunt *hunt, double seconds, struct session_result *result)
{
  struct prediction_hunt f = {
      .hunt = hunt, .started = now_seconds(), .seconds = seconds, .several = true, .found = result};
  struct session_result run = {0};
  hunt->config.strategy = STRATEGY_rr;
  if (prediction_hunt_open(&f, &run) && prediction_hunt_analyse(&f))
    prediction_hunt_try(&f, NULL);
  hunt->config.strategy = STRATEGY_portfolio;
  for (size_t i = 0; i < f.predictions.count; i++)
    result->executions += f.tried ? f.tried[i].runs : 0;
  prediction_hunt_close(&f);
  session_free(&run);
}

/* There are too many interleavings, but there may be few ways in which steps see what others did. That proves less, so
 * samples go on: for races and leaks, and as a second opinion. */
static void search_without_hope(struct hunt *hunt, double seconds, double until, struct session_result *result)
{
  struct division classes;
  const struct cluster_search *others = hunt->cluster;
  bool proved = false;
  hunt->cluster = NULL; /* causality is looked at here */
  if (!result->missed && division_open(&classes)) {
    stage_causality(hunt, &classes, BY_CAUSALITY * seconds, result);
    proved = result->complete;
    result->complete = result->finished = false;
    division_close(&classes);
  }
  hunt->cluster = others;
  if (result->end == SESSION_TIME)
    result->end = SESSION_DONE;
  double left = until - now_seconds();
  if (goes_on(hunt, result, left))
    stage_sample(hunt, LAST_SAMPLES, left, result);
  if (!proved || result->missed || hunt_has_fatal_bug(hunt, result))
    return;
  result->complete = result->finished = true;
  hunt->config.strategy = STRATEGY_causal;
}

/* All that is missing to a proof is waits that end for no reason (where these are no events of properties, which would
 * make each of them another state). If there is no proof with them either, what was known before is all that is known.
 */
static void explore_unasked(struct hunt *hunt, double seconds, struct session_result *result)
{
  const struct json_estimate estimate = hunt->estimate;
  const uint64_t explored = hunt->explored;
  hunt->config.spurious = true;
  explore_in_turns(hunt, seconds, false, result);
  if (result->bug_count || result->complete) /* shown again, or told, it is about all of them */
    return;
  hunt->config.spurious = false;
  hunt->estimate = estimate;
  hunt->explored = explored;
  result->missed = LOST_UNASKED;
  result->finished = true;
  if (result->end == SESSION_TIME)
    result->end = SESSION_DONE;
}

/* Sampling finds most bugs at once; what it does not find is worth a proof, for which others may help. */
static void search(struct hunt *hunt, const struct cluster_search *others, double seconds,
                   struct session_result *result)
{
  double started = now_seconds();
  hunt_search(hunt, SAMPLED_FIRST, seconds / 10, result);
  if (result->end == SESSION_TIME)
    result->end = SESSION_DONE;
  if (!result->executions && goes_on(hunt, result, seconds)) { /* executions are long */
    hunt->cluster = others;
    stage_sample(hunt, 1, started + seconds - now_seconds(), result);
    return;
  }
  if (result->exhausted || result->max_threads <= 1 || !goes_on(hunt, result, seconds))
    return;
  hunt_by_prediction(hunt, seconds / 10, result);
  if (!goes_on(hunt, result, seconds))
    return;
  hunt->cluster = others;
  explore_in_turns(hunt, started + seconds - now_seconds(), false, result);
  if (result->finished && result->missed == LOST_UNASKED && !result->bug_count && !hunt->target.properties)
    explore_unasked(hunt, started + seconds - now_seconds(), result);
  hunt->config.strategy = STRATEGY_portfolio;
  if (goes_on(hunt, result, started + seconds - now_seconds()))
    search_without_hope(hunt, seconds, started + seconds, result);
}

int cmd_check(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_CHECK, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("check", options.all_options);
  bool chosen = options.strategy != STRATEGY_COUNT;
  if (!chosen)
    options.strategy = STRATEGY_portfolio;
  if (!cluster_hunt_check(&options))
    return STATUS_USAGE;
  struct hunt hunt;
  int status = hunt_open(&hunt, "check", &options, true);
  if (status)
    return status;
  struct session_result result;
  struct cluster_search cluster;
  if (!cluster_hunt_open(&hunt, &cluster)) {
    hunt_close(&hunt);
    return STATUS_FAILED;
  }
  const struct cluster_search *others = options.cluster ? &cluster : NULL;
  double seconds = options.seconds < 0 ? CHECK_SECONDS : options.seconds;
  deadline_set(options.seconds);
  hunt.search.limit = seconds;
  if (chosen || options.max_executions || hunt.config.keep_going || options.output == OUTPUT_ALL ||
      options.client) { /* there is no proof with one, and no prediction */
    hunt.cluster = others;
    hunt_search(&hunt, options.max_executions, seconds, &result);
  } else {
    search(&hunt, others, seconds, &result);
  }
  cluster_hunt_close(&hunt, &cluster);
  hunt_reproduce_all(&hunt, &result, true);
  if (!hunt_news(&hunt) && !hunt.unreproduced && result.executions &&
      (result.end == SESSION_DONE || result.end == SESSION_TIME))
    print_nothing_found(&hunt, &result);
  hunt_print_search(&hunt, &result);
  if (result.end != SESSION_FAILED)
    warn(&result);
  status = hunt_finish(&hunt, &result);
  session_free(&result);
  hunt_close(&hunt);
  return status;
}
