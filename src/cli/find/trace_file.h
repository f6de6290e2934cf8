/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of --trace-file: the trace log of one session, in the format its name or --trace-format asks
 * for. */
#ifndef HEDDLE_CLI_TRACE_FILE_H
#define HEDDLE_CLI_TRACE_FILE_H

#include "cli/option/options.h"
#include "file/output_file.h"
#include "report/document/trace_log.h"
#include <stdbool.h>

/* Whether the options go together. False: an error was printed (status 2). */
bool trace_file_check(const struct options *options);

/* What would be written to the file of --trace-file. */
enum file_format trace_file_format(const struct options *options);

/* Writes a trace log. False: an error was printed. */
bool trace_file_write(const char *path, enum trace_format format, const struct story *story,
                      const struct trace_origin *origin);

#endif
