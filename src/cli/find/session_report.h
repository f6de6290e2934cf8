/* SPDX-License-Identifier: Apache-2.0
 *
 * From a session to words: one replay, and how the story, the program's output and an error are taken from it. Shared
 * by all subcommands; knows no options.
 */
#ifndef HEDDLE_CLI_SESSION_REPORT_H
#define HEDDLE_CLI_SESSION_REPORT_H

#include "debuginfo/symbols.h"
#include "report/story/story.h"
#include "session/supervisor.h"
#include "session/target.h"
#include <stdbool.h>

/* Runs a schedule once in a fresh process. */
void replay_schedule(const struct target *target, const struct control_config *config,
                     const struct schedule_record *schedule, enum reset_mode reset, bool trace, double grace,
                     struct session_result *result);

/* Names addresses of libraries as the session's process had them. */
void symbols_from_control(struct symbols *symbols, const struct control *control); /* any of them may be NULL */

/* A story of the bug (NULL: of the bare trace) in that session; bug and result must outlive it. */
struct story story_from_session(const struct session_result *result, const struct bug *bug, struct symbols *symbols);

/* How far a search by the strategy period came. */
#define REACH_TEXT 160
const char *reach_text(const struct session_result *result, char out[REACH_TEXT]);

/* What the program printed in the session's last execution, or all, under a headline. */
void print_program_output(const struct session_result *result);

/* The line for a session that failed or diverged, and what the program said at its start. */
void print_session_error(const struct session_result *result, struct symbols *symbols);

#endif
