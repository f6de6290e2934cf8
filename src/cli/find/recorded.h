/* SPDX-License-Identifier: Apache-2.0
 *
 * A schedule file made ready to run: read, and what it would run found to be this user's own (signature.h) or named by
 * --program. Anything else is told and not run.
 */
#ifndef HEDDLE_CLI_RECORDED_H
#define HEDDLE_CLI_RECORDED_H

#include "cli/option/options.h"
#include "debuginfo/symbols.h"
#include "report/document/trace_log.h"
#include "schedule/schedule_file.h"
#include "session/supervisor.h"
#include "session/target.h"
#include <stdbool.h>

struct recorded {
  const char *path;
  char *text; /* of the file, as it was when it was opened */
  size_t length;
  struct schedule_file file;
  char *folder; /* where the program runs, when that is not where we are */
  struct target target;
  struct symbols *symbols; /* NULL when the program has none */
  struct control_config config;
  enum reset_mode reset; /* asked for, or that of the file */
};

/* Reads the one operand and no more: nothing it names is looked at. Returns 0, or the exit status; an error was printed
 * and nothing is left to close. */
int recorded_read(struct recorded *recorded, const char *command, const struct options *options);

/* Opens the one operand, to be run; the same. */
int recorded_open(struct recorded *recorded, const char *command, const struct options *options);
void recorded_close(struct recorded *recorded);

/* Writes down in a file about to be written to path where heddle was started, and signs what it makes heddle run: the
 * target, which the user named. False: no memory. */
bool recorded_sign(struct schedule_file *file, const char *path, const struct target *target);

/* What a file makes heddle run, as a shell would take it. */
void print_recorded_command(FILE *out, const struct schedule_file *file, const char *program);

/* Runs it once, in a fresh process. */
void recorded_run(const struct recorded *recorded, const struct options *options, bool trace,
                  struct session_result *result);

/* What its trace log says of where it comes from. */
struct trace_origin recorded_origin(const struct recorded *recorded);

/* Whether a bug of that session is the recorded one: by key, or by kind and words. Any is when none was recorded. */
bool recorded_is_same(const struct recorded *recorded, const struct session_result *result, const struct bug *bug);

/* The bug to tell of: the recorded one if it shows, else the first that shows, else NULL. */
const struct bug *recorded_bug(const struct recorded *recorded, const struct session_result *result);

#endif
