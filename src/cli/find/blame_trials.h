/* SPDX-License-Identifier: Apache-2.0
 *
 * Which switch of a failing schedule is to blame: runs the trials and brings together what the report needs. Shared by
 * heddle localise and heddle check --explain. Prints nothing but errors of sessions.
 */
#ifndef HEDDLE_CLI_BLAME_TRIALS_H
#define HEDDLE_CLI_BLAME_TRIALS_H

#include "debuginfo/symbols.h"
#include "report/blame/blame_text.h"
#include "session/supervisor.h"
#include "session/target.h"

struct blame_request {
  const struct target *target;
  const struct control_config *config;
  struct schedule_record *schedule;     /* as it ran in the session below */
  const struct session_result *failing; /* a traced replay of it */
  const struct bug *bug;                /* that it showed */
  struct symbols *symbols;
  uint32_t reset; /* enum reset_mode of the trials */
  double seconds, grace;
  uint32_t random; /* so many trials for each switch, who goes first by chance; 0: by the variables */
  bool all;        /* run all trials, though it is decided */
  bool strict;     /* patterns as published (report/blame/blame.h) */
};

struct blame {
  struct blame_view view;
  struct story story, passing_story;
  struct blame_trace trace, passing_trace;
  struct trials *trials;
  struct pattern patterns[PATTERNS_MOST];
  struct session_result passing; /* a traced run that passes; its control is NULL when there is none */
  struct schedule_record *passing_schedule;
  double started; /* for the live line */
};

/* False: an error was printed. In any case to be closed. The request's parts must outlive it. */
bool blame_open(struct blame *blame, const struct blame_request *request);
void blame_close(struct blame *blame);

#endif
