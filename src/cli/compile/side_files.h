/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule files (language/order_file.h) of what is compiled: TEST.schedule beside TEST.c, or those that the command
 * names. The compiler is given copies of the sources, in a folder of ours, with the events and schedules in them.
 */
#ifndef HEDDLE_CLI_SIDE_FILES_H
#define HEDDLE_CLI_SIDE_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

bool is_schedule_file(const char *name);

struct side_source {
  const char *path; /* as the command names it */
  bool cxx;
  char *copy;   /* to be compiled instead, malloc'ed; NULL: it has no schedules or events */
  char *folder; /* where it is, malloc'ed; NULL as well */
};

struct side_files {
  char folder[PATH_MAX]; /* with the copies; empty: there are none */
  size_t copies;
};

/* given: schedule files that the command names; if there are none, those beside the sources count. False: problem says
 * why, in one line. The folder is there until side_files_close(). */
bool side_files_open(struct side_files *side, struct side_source *source, size_t sources, char *const *given,
                     size_t given_count, char *problem, size_t problem_size);
void side_files_close(struct side_files *side, struct side_source *source, size_t sources);

#endif
