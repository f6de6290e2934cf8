/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that a person names for results: whether they can be written is asked before the work, of all of them at once.
 * None is what the command reads (its program, its sources, its schedule), and no two are the same. How they are
 * written, and whose files are replaced, is file/output_file.h's.
 */
#ifndef HEDDLE_CLI_RESULT_FILE_H
#define HEDDLE_CLI_RESULT_FILE_H

#include "cli/option/options.h"
#include "file/output_file.h"

/* Of every option that names a file to write. False: an error was printed (status 2), and nothing was touched. */
bool result_files_check(const struct options *options);

/* What options->into is to hold: that of record, shrink, schedule and convert. */
enum file_format result_file_into(const struct options *options);

/* A path of "-" is standard output. Text of NULL: there was no memory for it. False: an error was printed. */
bool result_file_write(const char *option, const char *path, enum file_format format, const char *text, size_t length);

#endif
