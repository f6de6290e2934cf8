/* SPDX-License-Identifier: Apache-2.0
 *
 * One minimisation: what is known of a stress test and of its failure, and what is left of it. reduced_test.c has the
 * steps from a failing execution to a test of its own, for heddle minimise and heddle check --explain;
 * reduced_program.c those for an ordinary program, of which calls are named; minimise_free.c the ways of comparison.
 */
#ifndef HEDDLE_CLI_MINIMISE_H
#define HEDDLE_CLI_MINIMISE_H

#include "cli/find/hunt.h"
#include "cli/find/stress_calls.h"
#include "cli/find/test_parts.h"
#include "cli/option/options.h"
#include "core/subset.h"
#include "report/story/minimised.h"
#include "session/supervisor.h"

/* A failing execution of the whole test. */
struct failure {
  struct schedule_record *schedule;
  const char *path; /* of its file; NULL: it is in none */
  struct control_config config;
  uint64_t key;
  uint32_t kind;
};

struct minimisation {
  const struct options *options;
  const struct target *target;
  struct stress_calls calls; /* of the whole test */
  struct stress_calls left;  /* of the reduced one */
  char *list;                /* of an ordinary program: the functions whose calls can be left out; else NULL */
  struct parts_told parts;   /* what is left of it */
  struct parts_told whole;   /* of which what stays is told */
  double started, until;
  struct subset kept; /* that fails */
  struct minimised report;
  char message[384], where[256]; /* of the failure */
  char *test, *schedule, *bug;   /* of the reduced test; see the report */
  char **sources;                /* that it is compiled from: its own first */
  size_t source_count;
};

/* False: an error was printed (status 2). */
bool minimisation_open(struct minimisation *m, const struct options *options, const struct target *target,
                       double seconds);
void minimisation_close(struct minimisation *m);

/* At least a moment: a step that was begun is worth finishing. */
double minimisation_time_left(const struct minimisation *m);

/* How much is left, into the report. */
void minimisation_count(struct minimisation *m);

/* From a failing execution to the smallest part of the test that fails, replayed, written as a test, and told with the
 * switch that is to blame; into the report, whose kind, message and place are those of the failure. Returns STATUS_BUG,
 * or STATUS_FAILED: an error was printed. */
int minimise_failure(struct minimisation *m, const struct failure *f);

/* The same for an ordinary program. hunt: of that program, to tell what is left; its options and its configuration
 * become those of the part. */
int minimise_program_failure(struct minimisation *m, struct failure *f, struct hunt *hunt);

/* The session in which the test is made smaller, size and calls that stay being in the configuration; into kept. The
 * schedule with which that fails, malloc'ed, or NULL: an error was printed. */
struct schedule_record *minimisation_reduce(struct minimisation *m, const struct failure *f);

/* Follows a schedule as well as can be, and tells what that shows, with all that follows. */
void minimisation_retell(struct hunt *hunt, const struct schedule_record *schedule);

/* Options for telling of a part: those of the whole, but for what belongs to that alone. */
struct options minimisation_options(const struct minimisation *m, const struct failure *f);

/* Standard input was read already: a reduced test gets what the whole one got. False: an error was printed. */
bool give_input(struct target *to, const struct target *from);

/* With free runs; into kept and report. False: an error was printed. */
bool minimise_free(struct minimisation *m);

#endif
