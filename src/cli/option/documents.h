/* SPDX-License-Identifier: Apache-2.0
 *
 * What suite and test share besides the report: where its files go, checked before hours of work and written after
 * them; and the standard input of tests.
 */
#ifndef HEDDLE_CLI_DOCUMENTS_H
#define HEDDLE_CLI_DOCUMENTS_H

#include "cli/option/options.h"
#include "report/document/suite_document.h"
#include <stdbool.h>

/* Whether --json, --junit, --sarif and --tap can all be served. False: an error was printed. */
bool documents_check(const struct options *options);

/* Writes what --json, --junit and --sarif ask for, and the overview; status is the exit status to be. False: an error
 * was printed. */
bool documents_write(const struct options *options, const struct suite_report *report, int status);

/* Makes standard input empty. False: an error was printed. */
bool drop_input(void);

#endif
