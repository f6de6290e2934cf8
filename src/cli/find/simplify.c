/* SPDX-License-Identifier: Apache-2.0
 *
 * One session of the strategy shrink, see the header.
 */
#include "cli/find/simplify.h"

struct schedule_record *simplify_schedule(const struct simplify *q, struct session_result *result)
{
  struct session_request request = {.target = q->target,
                                    .config = *q->config,
                                    .schedule = q->schedule,
                                    .workers = 1,
                                    .seconds = q->seconds,
                                    .grace = q->grace};
  request.config.strategy = STRATEGY_shrink;
  request.config.target_key = q->key;
  request.config.executions = q->executions;
  request.config.keep_going = 1;
  request.config.output_all = 0;
  session_run(&request, result);
  struct schedule_record *best = result->best;
  result->best = NULL;
  return best;
}
