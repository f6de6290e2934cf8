/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle explore: all interleavings, up to equivalence; the first bug, or the word "complete".
 */
#include "cli/command/explore.h"
#include "cli/command/commands.h"
#include "cli/find/cluster_hunt.h"
#include "cli/find/exploration_trace.h"
#include "cli/find/hunt.h"
#include "cli/find/ordering_notes.h"
#include "cli/find/session_report.h"
#include "cli/find/stages.h"
#include "cli/help/help.h"
#include "cli/option/search_identity.h"
#include "explore/unit.h"
#include "file/output_file.h"
#include "session/console.h"
#include "session/losses.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void print_not_complete(const struct hunt *hunt, const struct session_result *r)
{
  char count[COUNT_SIZE], seconds[COUNT_SIZE], all[COUNT_SIZE], most[COUNT_SIZE], least[COUNT_SIZE];
  const struct json_estimate *e = &hunt->estimate;
  double share = e->executions > 0 ? (double)hunt->explored / e->executions : 0;
  const char *plural = r->executions == 1 ? "" : "s", *none = hunt_no_bug(hunt);
  char why[LOSS_TEXT];
  format_count(r->executions, count);
  format_seconds(r->seconds, seconds);
  if (r->finished || share >= 0.995)
    console_line("%s found in %s execution%s (%s); not complete%s", none, count, plural, seconds,
                 loss_text(r, ": ", why));
  else if (!e->known)
    console_line("%s found in %s execution%s (%s); not complete%s; how many there are is not known yet", none, count,
                 plural, seconds, loss_text(r, ": ", why));
  else
    console_line("%s found in %s execution%s (%s)%s about %.*f %% of an estimated %s (%s to %s)", none, count, plural,
                 seconds, hunt->explored < r->executions ? ": samples, and" : ",", share < 0.01 ? 3 : 0, 100 * share,
                 format_estimate(scaled_from_double(e->executions), all),
                 format_estimate(scaled_from_double(e->low), least),
                 format_estimate(scaled_from_double(e->high), most));
}

/* What holds of all executions that find the same values need not hold of what nobody reads. */
static void print_complete_by_source(const struct hunt *hunt, const struct session_result *r)
{
  char count[COUNT_SIZE], seconds[COUNT_SIZE];
  console_line("no assertion fails, no access goes wrong and nothing deadlocks, wherever reads find their values "
               "(complete, by %s; not said of races, leaks and final memory): %s execution%s, %s",
               equivalence_name[hunt->config.equivalence], format_count(r->executions, count),
               r->executions == 1 ? "" : "s", format_seconds(r->seconds, seconds));
}

/* One execution stands for all in which every step sees the same; others may have been run as well, for what is not
 * said. */
static void print_complete_by_causality(const struct hunt *hunt, const struct session_result *r)
{
  char count[COUNT_SIZE], others[COUNT_SIZE], seconds[COUNT_SIZE], showed[COUNT_SIZE + 64] = "";
  if (r->executions > hunt->explored)
    snprintf(showed, sizeof showed, ", which %s other executions did not show",
             format_count(r->executions - hunt->explored, others));
  console_line("no assertion fails, no access goes wrong and nothing deadlocks, whatever steps see of each other "
               "(complete, by causality; not said of races, leaks and final memory%s): %s class%s, %s",
               showed, format_count(hunt->explored, count), hunt->explored == 1 ? "" : "es",
               format_seconds(r->seconds, seconds));
}

void print_complete(const struct hunt *hunt, const struct session_result *r)
{
  char count[COUNT_SIZE], seconds[COUNT_SIZE];
  if (hunt->config.strategy == STRATEGY_sources)
    print_complete_by_source(hunt, r);
  else if (hunt->config.strategy == STRATEGY_causal)
    print_complete_by_causality(hunt, r);
  else
    console_line("%s in any interleaving%s (complete%s): %s execution%s, %s", hunt_no_bug(hunt), kept_orderings(r),
                 hunt->config.symmetric ? ", up to symmetry" : "", format_count(r->executions, count),
                 r->executions == 1 ? "" : "s", format_seconds(r->seconds, seconds));
}

static void print_end(const struct hunt *hunt, const struct session_result *r)
{
  char count[COUNT_SIZE], seconds[COUNT_SIZE], why[LOSS_TEXT];
  const char *what = hunt->config.bound.kind == BOUND_DELAYS ? "delay" : "preemption";
  print_unseen_assembly(r->control);
  if (hunt->found_before)
    console_line("no other bug in %s execution%s (%s); one was found before the search was resumed "
                 "(see its report, or search again%s)",
                 format_count(r->executions, count), r->executions == 1 ? "" : "s", format_seconds(r->seconds, seconds),
                 hunt->options->cluster ? "" : " without --resume");
  else if (r->complete)
    print_complete(hunt, r);
  else if (r->bounded)
    console_line("%s%s with at most %u %s%s%s: %s execution%s (%s); those with more were not tried%s",
                 hunt_no_bug(hunt), r->missed ? " found" : "", hunt->config.bound.limit, what,
                 hunt->config.bound.limit == 1 ? "" : "s", r->missed ? "" : " (complete within this bound)",
                 format_count(r->executions, count), r->executions == 1 ? "" : "s", format_seconds(r->seconds, seconds),
                 loss_text(r, "; not complete: ", why));
  else
    print_not_complete(hunt, r);
}

/* ---- the checkpoint ---- */

/* What the cluster kept of the search, if it did, is what it goes on with. */
static bool open_cluster(struct cluster_search *cluster, struct hunt *hunt, struct division *d)
{
  const struct options *o = hunt->options;
  if (!o->cluster)
    return true;
  cluster_hunt_prepare(hunt);
  if (!search_identity(d->identity, hunt) ||
      !cluster_search_open(cluster, o->cluster, &hunt->target, d->identity, o->grace))
    return false;
  d->checkpoint = cluster->checkpoint;
  hunt->cluster = cluster;
  if (cluster->resumes && !division_resume(d, cluster->checkpoint))
    return false;
  if (cluster->resumes && d->tally.executions)
    console_note("the cluster kept %" PRIu64 " execution%s of this search, which goes on from there",
                 d->tally.executions, d->tally.executions == 1 ? "" : "s");
  return cluster_search_keep(cluster);
}

static bool open_division(struct division *d, const struct hunt *hunt, struct identity *identity)
{
  const struct options *o = hunt->options;
  *identity = (struct identity){0};
  if (!division_open(d)) {
    console_error("no memory left");
    return false;
  }
  d->limit = o->max_executions;
  d->frontier.limit = o->bound.limit;
  d->identity = identity;
  d->frontier.costs = o->bound.kind != BOUND_NONE;
  d->checkpoint = o->checkpoint ? o->checkpoint : o->resume;
  if (!d->checkpoint)
    return true;
  if (!search_identity(identity, hunt))
    return false;
  if (o->resume && !division_resume(d, o->resume))
    return false;
  if (!division_save(d, 0)) { /* better now than after hours */
    console_error("%s", d->error);
    return false;
  }
  return true;
}

static bool write_hashes(const char *path, const struct division *d)
{
  char error[512];
  struct output_file output;
  bool good = output_file_open(&output, path, FILE_HASHES, error, sizeof error);
  if (good) {
    fputs("# heddle hashes 1: class, output, bug\n", output.file);
    for (uint64_t i = 0; i < d->lines; i++) {
      fprintf(output.file, "%016" PRIx64 " %016" PRIx64, d->line[i].class_hash, d->line[i].output);
      if (d->line[i].bug_key)
        fprintf(output.file, " %016" PRIx64 "\n", d->line[i].bug_key);
      else
        fputs(" -\n", output.file);
    }
    good = output_file_close(&output, error, sizeof error);
  }
  if (!good)
    console_error("--hashes: %s", error);
  return good;
}

/* ---- the search ---- */

/* What is found is told next. */
static bool write_down(const struct options *o, struct division *division, const struct session_result *result)
{
  bool good = true;
  untold_clear(&division->untold);
  if (division->checkpoint && !division->failed && result->end != SESSION_FAILED && !division_save(division, 0)) {
    console_error("%s", division->error);
    good = false;
  }
  good &= !o->hashes || write_hashes(o->hashes, division);
  good &= !o->record || !result->control || exploration_trace_write(o->record, result->control);
  return good;
}

/* What a search found that was killed before it told it is shown again here. */
static void show_untold(struct hunt *hunt, const struct division *division, struct session_result *result)
{
  for (size_t i = 0; i < division->untold.before; i++) {
    struct session_result replay;
    replay_schedule(&hunt->target, &hunt->config, division->untold.bug[i].schedule, (enum reset_mode)result->reset,
                    true, hunt->options->grace, &replay);
    hunt->found_before |= !replay.bug_count; /* there was one, whatever keeps it from showing */
    for (size_t n = 0; n < replay.bug_count; n++)
      session_add_bug(result, &replay.bugs[n]);
    session_free(&replay);
  }
}

/* One search, with one bound; true if it ended because nothing within the bound is left. */
static bool search(struct hunt *hunt, struct division *division, double seconds, struct session_result *result)
{
  hunt_explore(hunt, division, seconds, NULL, NULL, result);
  show_untold(hunt, division, result);
  hunt->found_before |= division->found_before;
  if (hunt->found_before) /* what was explored before is no proof */
    result->complete = result->bounded = false;
  return result->bounded && result->end == SESSION_DONE;
}

/* What was done more than once, and counted once. */
static void tell_repeats(const struct division *d, const struct session_result *r)
{
  const uint64_t given = r->gone + r->lost, twice = d->courses ? d->courses->repeats : 0;
  if (twice)
    console_note("%" PRIu64 " execution%s by two workers at the same time, and count%s once", twice,
                 twice == 1 ? " was made" : "s were made", twice == 1 ? "s" : "");
  if (given || d->frontier.redone)
    console_note("given again: %" PRIu64 " unit%s of workers that were lost, %" PRIu64
                 " that came too late; begun anew %" PRIu64 " time%s",
                 given, given == 1 ? "" : "s", d->frontier.redone, d->epoch, d->epoch == 1 ? "" : "s");
}

/* With --iterative the bound grows until nothing is left out, something is found, or a limit is reached; what one bound
 * leaves out is what the next begins with. */
static int search_all(struct hunt *hunt, struct session_result *result)
{
  const struct options *o = hunt->options;
  double started = now_seconds(), limit = o->seconds < 0 ? 0 : o->seconds;
  int status = 0;
  struct division division;
  struct identity identity;
  struct cluster_search cluster = NO_CLUSTER;
  hunt->config.keeps_beyond = o->iterative;
  if (!open_division(&division, hunt, &identity))
    status = STATUS_USAGE;
  else if (!open_cluster(&cluster, hunt, &division))
    status = STATUS_FAILED;
  if (o->iterative)
    hunt->config.bound.limit = division.frontier.limit;
  for (bool more = !status; more;) {
    double left = limit > 0 ? limit - (now_seconds() - started) : 0;
    more =
        search(hunt, &division, limit > 0 && left < 0.001 ? 0.001 : left, result) && o->iterative && !result->bug_count;
    if (!write_down(o, &division, result))
      status = STATUS_FAILED;
    if (!more || status)
      break;
    print_end(hunt, result);
    session_free(result);
    division_raise(&division, ++hunt->config.bound.limit);
  }
  if (hunt->cluster)
    tell_repeats(&division, result);
  cluster_search_close(&cluster, !status && result->end == SESSION_DONE);
  hunt->cluster = NULL;
  division_close(&division);
  identity_free(&identity);
  return status;
}

/* What searches do not go with that are not divided and have no bounds; NULL: nothing that was asked for. */
static const char *of_divided_searches(const struct options *o)
{
  return o->bound.kind || o->iterative ? "a bound"
         : o->checkpoint || o->resume  ? "checkpoints"
         : o->cluster                  ? "--cluster"
         : o->order == ORDER_BREADTH   ? "--order bfs"
         : o->record                   ? "--record"
                                       : NULL;
}

static bool check_causal(const struct options *o)
{
  bool turns = o->strategy == STRATEGY_auto;
  if (o->strategy != STRATEGY_causal && !turns)
    return true;
  const char *other = o->equivalence != EQUIVALENCE_ORDER ? "--equivalence observed or reads-from"
                      : o->hashes && turns                ? "--hashes"
                      : o->max_executions && turns        ? "--max-executions"
                      : o->changed && turns               ? "--changed"
                                                          : of_divided_searches(o);
  if (other)
    console_error("--strategy %s does not go with %s; leave one of them out", strategy_table[o->strategy]->name, other);
  return !other;
}

static bool check_equivalence(struct options *o)
{
  if (o->equivalence == EQUIVALENCE_ORDER)
    return true;
  const char *other = o->strategy == STRATEGY_dfs ? "--strategy dfs" : of_divided_searches(o);
  if (other) {
    console_error("--equivalence %s does not go with %s; use --equivalence order", equivalence_name[o->equivalence],
                  other);
    return false;
  }
  o->strategy = STRATEGY_sources;
  return true;
}

/* Who goes first among threads that do the same is part of what dpor takes for granted, and of nothing else. */
static bool check_symmetric(const struct options *o)
{
  const char *other = !o->symmetric                                 ? NULL
                      : o->equivalence != EQUIVALENCE_ORDER         ? "--equivalence observed or reads-from"
                      : o->strategy == STRATEGY_dfs                 ? "--strategy dfs"
                      : o->strategy == STRATEGY_causal              ? "--strategy causal"
                      : o->strategy == STRATEGY_auto                ? "--strategy auto"
                      : o->order == ORDER_BREADTH                   ? "--order bfs"
                      : o->bound.kind != BOUND_NONE || o->iterative ? "a bound"
                                                                    : NULL;
  if (other)
    console_error("--symmetric does not go with %s; leave one of them out", other);
  return !other;
}

/* It is an order of its own, of all that is within a bound. */
static bool check_changed(const struct options *o)
{
  const char *other = !o->changed                           ? NULL
                      : o->iterative                        ? "--iterative"
                      : o->order == ORDER_BREADTH           ? "--order bfs"
                      : o->equivalence != EQUIVALENCE_ORDER ? "--equivalence observed or reads-from"
                      : o->bound.limit >= COST_BOUND        ? "a bound that large"
                                                            : NULL;
  if (other)
    console_error("--changed does not go with %s; leave one of them out", other);
  return !other;
}

static bool check_options(struct options *o)
{
  if (!check_symmetric(o) || !check_changed(o) || !check_causal(o) || !check_equivalence(o) || !cluster_hunt_check(o))
    return false;
  if (o->iterative && !o->bound.kind)
    o->bound = (struct bound){BOUND_PREEMPTIONS, 0};
  if (o->order == ORDER_BREADTH && o->strategy == STRATEGY_dpor) {
    console_error("--order bfs needs --strategy dfs; dpor knows what to leave out because it goes depth first");
    return false;
  }
  if (o->strategy == STRATEGY_COUNT)
    o->strategy = o->order == ORDER_BREADTH ? STRATEGY_dfs : STRATEGY_dpor;
  if (o->record && (o->jobs > 1 || o->resume)) {
    console_error("--record follows one worker from the start: it goes with -j 1 and without --resume");
    return false;
  }
  if (o->record)
    o->jobs = 1;
  return true;
}

/* That the bound is what it took: starting and ending threads costs nothing here, unlike in the schedule's own
 * count. */
static void print_bound(struct hunt *hunt, const struct session_result *result)
{
  if (!hunt->options->iterative || !hunt->finding_count)
    return;
  for (size_t i = 0; i < hunt->finding_count && hunt->config.bound.kind == BOUND_PREEMPTIONS; i++)
    hunt->findings[i].preemptions = hunt->config.bound.limit;
  console_line("found with %u %s%s; no execution%s with fewer shows a bug", hunt->config.bound.limit,
               hunt->config.bound.kind == BOUND_DELAYS ? "delay" : "preemption",
               hunt->config.bound.limit == 1 ? "" : "s", result->missed ? " that was seen" : "");
}

int cmd_explore(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_EXPLORE, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("explore", options.all_options);
  if (!check_options(&options))
    return STATUS_USAGE;
  struct hunt hunt;
  int status = hunt_open(&hunt, "explore", &options, true);
  if (status)
    return status;
  struct session_result result = {.exit_status = -1};
  deadline_set(options.seconds);
  if (options.strategy == STRATEGY_auto)
    explore_in_turns(&hunt, options.seconds > 0 ? options.seconds : 0, true, &result);
  else
    status = search_all(&hunt, &result);
  if (!status) {
    hunt_reproduce_all(&hunt, &result, true);
    if (!hunt_news(&hunt) && !hunt.unreproduced && result.executions &&
        (result.end == SESSION_DONE || result.end == SESSION_TIME))
      print_end(&hunt, &result);
    print_bound(&hunt, &result);
    hunt_print_search(&hunt, &result);
    status = hunt_finish(&hunt, &result);
  }
  session_free(&result);
  hunt_close(&hunt);
  return status;
}
