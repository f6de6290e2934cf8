/* SPDX-License-Identifier: Apache-2.0
 *
 * A schedule file made ready to run: read, its program found and compared with the build it was recorded with.
 */
#ifndef HEDDLE_CLI_RECORDED_H
#define HEDDLE_CLI_RECORDED_H

#include "cli/options.h"
#include "cli/supervisor.h"
#include "cli/target.h"
#include "report/trace_log.h"
#include "trace/schedule_file.h"
#include "trace/symbols.h"
#include <stdbool.h>

struct recorded {
  const char *path;
  struct schedule_file file;
  struct target target;
  struct symbols *symbols; /* NULL when the program has none */
  struct control_config config;
  enum reset_mode reset; /* asked for, or that of the file */
};

/* Opens the one operand. Returns 0, or the exit status; an error was printed and nothing is left to close. */
int recorded_open(struct recorded *recorded, const char *command, const struct options *options);
void recorded_close(struct recorded *recorded);

/* Runs it once, in a fresh process. */
void recorded_run(const struct recorded *recorded, const struct options *options, bool trace,
                  struct session_result *result);

/* What its trace log says of where it comes from. */
struct trace_origin recorded_origin(const struct recorded *recorded);

/* Whether a bug of that session is the recorded one: by key, or by kind and words. Any is when none was recorded. */
bool recorded_is_same(const struct recorded *recorded, const struct session_result *result,
                      const struct bug *bug);

/* The bug to tell of: the recorded one if it shows, else the first that shows, else NULL. */
const struct bug *recorded_bug(const struct recorded *recorded, const struct session_result *result);

#endif
