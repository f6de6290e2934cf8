/* SPDX-License-Identifier: Apache-2.0
 *
 * A schedule file made ready to run: read, and what it would run found to be this user's own (signature.h) or named by
 * --program. Anything else is told and not run.
 */
#ifndef HEDDLE_CLI_SAVED_SCHEDULE_H
#define HEDDLE_CLI_SAVED_SCHEDULE_H

#include "cli/option/options.h"
#include "debuginfo/symbols.h"
#include "report/document/trace_log.h"
#include "schedule/schedule_file.h"
#include "session/supervisor.h"
#include "session/target.h"
#include <stdbool.h>

struct saved_schedule {
  char *path;
  char *text; /* of the file, as it was when it was opened */
  size_t length;
  struct schedule_file file;
  char *folder; /* where the program runs, when that is not where we are */
  struct target target;
  struct symbols *symbols; /* NULL when the program has none */
  struct control_config config;
  enum reset_mode reset; /* asked for, or that of the file */
};

/* Reads the one operand, or the newest bug of options->out if there is none, and no more: nothing it names is looked
 * at. Returns 0, or the exit status; an error was printed and nothing is left to close. */
int saved_schedule_read(struct saved_schedule *saved, const char *command, const struct options *options);

/* Opens the one operand, to be run; the same. */
int saved_schedule_open(struct saved_schedule *saved, const char *command, const struct options *options);
void saved_schedule_close(struct saved_schedule *saved);

/* Writes down in a file about to be written to path where heddle was started, and signs what it makes heddle run: the
 * target, which the user named. False: no memory. */
bool saved_schedule_sign(struct schedule_file *file, const char *path, const struct target *target);

/* What a file makes heddle run, as a shell would take it. */
void print_saved_command(FILE *out, const struct schedule_file *file, const char *program);

/* Runs it once, in a fresh process. */
void saved_schedule_run(const struct saved_schedule *saved, const struct options *options, bool trace,
                        struct session_result *result);

/* What its trace log says of where it comes from. */
struct trace_origin saved_schedule_origin(const struct saved_schedule *saved);

/* Whether a bug of that session is the recorded one: by key, or by kind and words. Any is when none was recorded. */
bool saved_schedule_is_same(const struct saved_schedule *saved, const struct session_result *result,
                            const struct bug *bug);

/* The bug to tell of: the recorded one if it shows, else the first that shows, else NULL. */
const struct bug *saved_schedule_bug(const struct saved_schedule *saved, const struct session_result *result);

#endif
