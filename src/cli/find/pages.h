/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages in files: that of one execution where --html says, those of a hunt next to its schedules, with index.html for
 * the whole of it. A page that cannot be written is told, and is no reason to fail but for --html.
 */
#ifndef HEDDLE_CLI_PAGES_H
#define HEDDLE_CLI_PAGES_H

#include "cli/find/hunt.h"
#include "report/document/suite_document.h"
#include "report/document/trace_log.h"

/* What --html asks for. False: an error was printed. */
bool page_file_write(const struct options *options, const struct story *story, const struct trace_origin *origin);

/* Where the page goes: next to the schedule, malloc'ed; NULL when none is wanted. */
char *hunt_page_path(const struct hunt *hunt, const char *schedule);

/* Writes story->page, if it is set. False: it could not, which was told. */
bool hunt_write_page(const struct hunt *hunt, const struct story *story);

/* The overview, when something was found, coverage was asked for, or one of an earlier search is there. */
void hunt_write_overview(const struct hunt *hunt, const struct json_document *document);
/* That of many tests, when something was found or there is one. */
void suite_write_overview(const struct options *options, const struct suite_report *report);

#endif
