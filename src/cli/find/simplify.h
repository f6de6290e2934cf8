/* SPDX-License-Identifier: Apache-2.0
 *
 * A simpler schedule with the same outcome, by the strategy shrink: shared by what check does with a find, by heddle
 * shrink, and by the search for a schedule that passes.
 */
#ifndef HEDDLE_CLI_SIMPLIFY_H
#define HEDDLE_CLI_SIMPLIFY_H

#include "core/control.h"
#include "session/supervisor.h"
#include "session/target.h"

struct simplify {
  const struct target *target;
  const struct control_config *config;
  const struct schedule_record *schedule; /* NULL: one is looked for first, by chance */
  uint64_t key;                           /* of the bug to keep; 0: that the program passes */
  double seconds, grace;
  uint64_t executions; /* at most */
};

/* The simplest one that was seen, malloc'ed; NULL when not even the given one showed the outcome. *result is the
 * session, for the caller to free. */
struct schedule_record *simplify_schedule(const struct simplify *q, struct session_result *result);

#endif
