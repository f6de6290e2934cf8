/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that a person names for results (--json, --junit, --sarif, --trace-file, --html): whether they can be written is asked
 * before the work, and they are written whole or not at all. A file that is there and holds something else was hardly
 * meant (`--json bank.c`), so it stays. Knows nothing of what is in them but how they begin.
 */
#ifndef HEDDLE_CLI_RESULT_FILE_H
#define HEDDLE_CLI_RESULT_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum result_format { RESULT_JSON, RESULT_XML, RESULT_TRACE, RESULT_HTML };

/* A path of NULL (the option was not given) and "-" (standard output) are fine. False: an error was printed. */
bool result_file_check(const char *option, const char *path, enum result_format format);

/* Text of NULL: there was no memory for it. False: an error was printed. */
bool result_file_write(const char *option, const char *path, const char *text, size_t length);

#endif
