/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle run: sample schedules with one strategy and report everything that shows, with a summary that two runs can be
 * compared by.
 */
#include "cli/command/commands.h"
#include "cli/find/cluster_hunt.h"
#include "cli/help/help.h"
#include "session/console.h"

#define RUN_EXECUTIONS 1000

/* --runs and --max-executions mean the same here; the smaller counts. */
static uint64_t executions_to_run(const struct options *o)
{
  uint64_t runs = o->runs;
  if (!runs && !o->max_executions)
    return o->seconds < 0 ? RUN_EXECUTIONS : 0;
  if (o->max_executions && (!runs || o->max_executions < runs))
    runs = o->max_executions;
  return runs;
}

static void print_summary(const struct hunt *hunt, const struct session_result *result)
{
  char count[COUNT_SIZE], seconds[COUNT_SIZE], rate[COUNT_SIZE], cut[COUNT_SIZE], reach[REACH_TEXT];
  double per_second = result->seconds > 0 ? (double)result->executions / result->seconds : 0;
  console_line("%s execution%s in %s (%s/s), strategy %s, seed %llu, reset by %s",
               format_count(result->executions, count), result->executions == 1 ? "" : "s",
               format_seconds(result->seconds, seconds), format_count((uint64_t)per_second, rate),
               strategy_table[hunt->config.strategy]->name, (unsigned long long)hunt->config.seed,
               reset_name[result->reset]);
  if (result->exhausted && hunt->config.strategy == STRATEGY_history)
    console_line("the last %s took no new decision",
                 hunt->options->patience == 1 ? "one" : format_count(hunt->options->patience, count));
  if (hunt->config.strategy == STRATEGY_period)
    console_line("%s", reach_text(result, reach));
  if (result->cut)
    console_line("%s more %s cut short", format_count(result->cut, cut), result->cut == 1 ? "was" : "were");
  console_line("trace hash %016llx", (unsigned long long)result->hash);
  if (!hunt->finding_count && !hunt->unreproduced)
    console_line("%s found%s%s", hunt_no_bug(hunt), result->missed & LOST_CLIENT ? "; not complete: " : "",
                 result->missed & LOST_CLIENT ? loss_sentence[LOSS_CLIENT_BIT] : "");
  else if (hunt->finding_count)
    console_line("%zu bug%s found", hunt->finding_count, hunt->finding_count == 1 ? "" : "s");
}

int cmd_run(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_RUN, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("run", options.all_options);
  if (options.strategy == STRATEGY_COUNT)
    options.strategy = STRATEGY_random;
  options.keep_going = !options.until_bug;
  if (!cluster_hunt_check(&options))
    return STATUS_USAGE;
  struct hunt hunt;
  int status = hunt_open(&hunt, "run", &options, false);
  if (status)
    return status;
  struct session_result result;
  struct cluster_search cluster;
  if (!cluster_hunt_open(&hunt, &cluster)) {
    hunt_close(&hunt);
    return STATUS_FAILED;
  }
  hunt.cluster = options.cluster ? &cluster : NULL;
  deadline_set(options.seconds);
  hunt_search(&hunt, executions_to_run(&options), options.seconds < 0 ? 0 : options.seconds, &result);
  cluster_hunt_close(&hunt, &cluster);
  hunt_reproduce_all(&hunt, &result, false);
  if (result.end != SESSION_FAILED || result.executions)
    print_summary(&hunt, &result);
  status = hunt_finish(&hunt, &result);
  session_free(&result);
  hunt_close(&hunt);
  return status;
}
