/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle explore: all interleavings, up to equivalence; the first bug, or the word "complete".
 */
#include "cli/commands.h"
#include "cli/hunt.h"
#include "cli/say.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void tell_end(const struct hunt *hunt, const struct session_result *r)
{
  char count[COUNT_SIZE], seconds[COUNT_SIZE];
  format_count(r->executions, count);
  format_seconds(r->seconds, seconds);
  const char *plural = r->executions == 1 ? "" : "s";
  if (r->complete)
    say("no bug in any interleaving (complete): %s execution%s in %s", count, plural, seconds);
  else if (r->bounded)
    say("no bug with at most %u %s: %s execution%s in %s; more were not tried", hunt->config.bound_limit,
        hunt->config.bound == BOUND_DELAYS ? "delays" : "preemptions", count, plural, seconds);
  else
    say("no bug found in %s execution%s in %s; not complete", count, plural, seconds);
}

int cmd_explore(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_EXPLORE, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("explore");
  if (options.strategy == STRATEGY_COUNT)
    options.strategy = options.bound.kind ? STRATEGY_dfs : STRATEGY_dpor;
  struct hunt hunt;
  int status = hunt_open(&hunt, "explore", &options, true);
  if (status)
    return status;
  struct session_result result;
  options.jobs = 1;
  hunt_search(&hunt, options.max_executions, options.seconds < 0 ? 0 : options.seconds, &result);
  if (options.hashes && result.control) {
    FILE *f = fopen(options.hashes, "we");
    const struct execution_line *line = CONTROL_AT(result.control, CONTROL_LINES_OFFSET);
    for (uint64_t i = 0; f && i < result.control->lines; i++)
      fprintf(f, "%016" PRIx64 " %016" PRIx64 " %" PRIx64 "\n", line[i].class_hash, line[i].output, line[i].bug_key);
    if (f)
      fclose(f);
  }
  hunt_confirm_all(&hunt, &result, true);
  if (!hunt.finding_count && !hunt.unconfirmed && result.executions &&
      (result.end == SESSION_DONE || result.end == SESSION_TIME))
    tell_end(&hunt, &result);
  if (result.blocked)
    say("%lu blocked", result.blocked);
  status = hunt_finish(&hunt, &result);
  session_free(&result);
  hunt_close(&hunt);
  return status;
}
