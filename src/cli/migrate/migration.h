/* SPDX-License-Identifier: Apache-2.0
 *
 * From a test that synchronises by sleeping to one that says its order: heddle migrate.
 *
 * The test is built with numbered events at all places where one may stand (language/sleep_marks.h), and run under
 * control, a few times, with sleeps that end in time (--sleeps exact): time is virtual, so nobody waits, and however
 * busy the machine is, sleeps end in the order that they were meant to. What they stand for (language/sleep_orders.h)
 * becomes a schedule, and the sleeps go.
 *
 * Nothing is proposed that was not tried: the new test must have the verdict of the old one in all interleavings that
 * keep its schedule, as far as there is time to try them, and in free runs.
 */
#ifndef HEDDLE_CLI_MIGRATION_H
#define HEDDLE_CLI_MIGRATION_H

#include "cli/option/options.h"
#include "core/bug.h"
#include "language/sleep_edits.h"
#include <limits.h>

#define MIGRATION_RUNS 16      /* under control, with sleeps: what they order shows in these */
#define MIGRATION_TIMED_RUNS 3 /* free ones with sleeps: they take their time */

struct verdict {
  bool failed;
  uint32_t kind; /* of its bug, if it failed */
  char text[320];
};

/* Free runs of a program. */
struct free_tally {
  uint64_t runs, failed;
  uint64_t loose; /* in which an event came too early; only passive runs let it */
  double seconds; /* of all together */
  char text[320]; /* how the last one that failed did */
};

struct proof {
  bool ran, complete, finished;
  bool staying;         /* some sleep does; then the test is tried with sleeps that end at any moment, too: */
  bool depends_on_time; /* it fails in some of these */
  uint64_t executions;
  struct verdict verdict; /* the first one that is another than that of the test with sleeps */
  struct free_tally slept, kept;
};

struct migration {
  const struct options *options;
  const char *path; /* of the test */
  char *text;
  size_t length;
  char folder[PATH_MAX]; /* for what is built meanwhile; empty: there is none */
  struct c_file file;
  struct sleep_marks marks;
  struct sleep_run run[MIGRATION_RUNS];
  struct verdict verdict; /* of the test with sleeps */
  struct sleep_orders orders;
  struct sleep_edits edits;
  struct proof proof;
};

/* All that return false have printed an error. */

/* The file read, and what is in it. */
bool migration_open(struct migration *m, const struct options *options);
void migration_close(struct migration *m);

/* migration_build.c: a program of the patched test and the other sources, in the folder. */
enum migration_build { BUILD_CONTROLLED, BUILD_FREE };
bool migration_build(struct migration *m, const struct source_patch *patch, const char *name, enum migration_build how,
                     char program[PATH_MAX]);

/* migration_watch.c: the runs with sleeps, the orders that they stand for, the edits. */
bool migration_watch(struct migration *m);
/* What an execution of the program came to. */
struct session_result;
struct control_config;
void migration_verdict(const struct session_result *result, const struct control_config *config, struct verdict *out);

/* migration_prove.c: whether the new test has the same verdict. */
bool migration_prove(struct migration *m, const struct source_patch *migrated);
bool migration_is_proved(const struct migration *m);

#endif
