/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle check: the everyday command. Search with several strategies, stop at the first bug, replay, shrink, explain.
 */
#include "cli/commands.h"
#include "cli/hunt.h"
#include "cli/say.h"

#define CHECK_SECONDS 10.0

static void tell_nothing_found(const struct hunt *hunt, const struct session_result *result)
{
  char count[COUNT_SIZE], seconds[COUNT_SIZE];
  const char *schedules = hunt->config.strategy == STRATEGY_portfolio
                              ? "pos, pct and random"
                              : strategy_table[hunt->config.strategy]->name;
  format_count(result->executions, count);
  format_seconds(result->seconds, seconds);
  if (result->max_threads <= 1)
    say("no bug found in %s execution%s (%s): only one thread was ever seen, so there is nothing to schedule",
        count, result->executions == 1 ? "" : "s", seconds);
  else if (result->exhausted && hunt->config.strategy != STRATEGY_rr)
    say("no bug found in %s execution%s (%s): its threads never meet, so every schedule is the same", count,
        result->executions == 1 ? "" : "s", seconds);
  else
    say("no bug found in %s execution%s (%s, %s schedules)", count, result->executions == 1 ? "" : "s",
        seconds, schedules);
}

/* What makes "no bug found" worth less than it sounds. */
static void warn(const struct session_result *result)
{
  char count[COUNT_SIZE];
  if (result->executions && !result->instrumented && result->max_threads > 1)
    say_note("only calls are scheduling points; build with heddle cc to see memory accesses");
  if (result->control && result->control->opaque[0])
    say_note("%s synchronises by instructions heddle does not see: only accesses that are pending at the "
             "same time "
             "count as data races",
             result->control->opaque);
  if (result->cut)
    say_note("%s execution%s cut short and proved nothing", format_count(result->cut, count),
             result->cut == 1 ? " was" : "s were");
}

int cmd_check(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_CHECK, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("check");
  if (options.strategy == STRATEGY_COUNT)
    options.strategy = STRATEGY_portfolio;
  struct hunt hunt;
  int status = hunt_open(&hunt, "check", &options, true);
  if (status)
    return status;
  struct session_result result;
  hunt_search(&hunt, options.max_executions, options.seconds < 0 ? CHECK_SECONDS : options.seconds, &result);
  hunt_confirm_all(&hunt, &result, true);
  if (!hunt.finding_count && !hunt.unconfirmed && result.executions &&
      (result.end == SESSION_DONE || result.end == SESSION_TIME))
    tell_nothing_found(&hunt, &result);
  if (result.end != SESSION_FAILED)
    warn(&result);
  status = hunt_finish(&hunt, &result);
  session_free(&result);
  hunt_close(&hunt);
  return status;
}
