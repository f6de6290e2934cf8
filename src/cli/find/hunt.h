/* SPDX-License-Identifier: Apache-2.0
 *
 * Hunts: what check and run share. A search, then for each bug: drop what its schedule does not need, replay it in a
 * fresh process, write it down, tell it.
 *
 * A bug that does not show again in a fresh process is never reported as one.
 */
#ifndef HEDDLE_CLI_HUNT_H
#define HEDDLE_CLI_HUNT_H

#include "cli/find/baseline.h"
#include "cli/find/changed_since.h"
#include "cli/find/session_report.h"
#include "cli/find/suppressions.h"
#include "cli/option/options.h"
#include "cli/option/outfiles.h"
#include "debuginfo/symbols.h"
#include "report/document/json.h"
#include "report/document/sarif.h"
#include "report/page/pace.h"
#include "report/story/story.h"
#include "session/corpus.h"
#include "session/supervisor.h"
#include "session/target.h"
#include <stdbool.h>
#include <stddef.h>

struct cluster_search;

/* What was known of a bug before this search. */
struct seen_before {
  int64_t first;     /* seen, by the calendar (known_bugs.h); 0: never */
  uint64_t searches; /* that saw it */
};

struct finding {
  struct bug bug;              /* as the replay showed it, with the number of the execution that found it */
  struct thread_info *threads; /* of the replay */
  char *path;                  /* of the schedule file; NULL when it could not be written */
  char *page;                  /* of its page; NULL for none */
  struct seen_before before;
  bool known; /* it is in the baseline */
  uint64_t preemptions;
  struct story_step *steps; /* what the story tells */
  char *blame;              /* which switch is to blame, as JSON; NULL: not asked for, or not known */
  char *tried;              /* what the execution was to show (tried_text.h); NULL: nothing in particular */
  char *minimised;          /* the smallest test that fails, as JSON; NULL: not asked for, or no stress test */
  struct story story;       /* without events */
};

struct hunt {
  const char *command;
  const struct options *options;
  struct target target;
  struct outfiles files;
  struct control_config config;
  struct symbols *symbols; /* NULL until the first bug, or when there are none */
  struct finding *findings;
  size_t finding_count;
  size_t unreproduced; /* bugs that did not replay */
  size_t asides;       /* reported beside the first */
  struct suppressions suppressions;
  struct baseline baseline;
  struct left_out {
    uint64_t key; /* of a bug that was suppressed */
    struct bug_identity identity;
  } * left_out;
  size_t left_out_count, suppressed; /* some are the same to a person */
  struct json_estimate estimate;     /* of an exhaustive search */
  uint64_t explored;                 /* executions of that, not of samples before and after */
  struct changed_since changed;
  struct covered covered;
  struct pace pace;
  const struct predictions_view *predictions; /* for the document; NULL for none */
  const struct cluster_search *cluster;       /* that does the next search; NULL: this machine */
  bool found_before;                          /* a bug, before the search was resumed */
  struct corpus *corpus;                      /* of a search by reads-from feedback; else NULL */
  struct live_search search;
  char title[256];       /* of it */
  double shrink_seconds; /* left for shrinking */
  int64_t started;       /* by the calendar: what the search is known by (known_bugs.h) */
};

/* Bugs that are a reason to fail: those that are not in the baseline. */
size_t hunt_news(const struct hunt *hunt);

/* How a verdict without any begins: "no bug", or "no other bug" if some were suppressed or known. */
const char *hunt_no_bug(const struct hunt *hunt);

/* As the documents have it. */
struct json_bug json_bug_of(const struct finding *finding);

/* Fills in the calls to watch; no list is none. False: an error was printed. */
bool watch_calls(struct control_config *config, const char *program, const char *list);

/* Opens the one program, or compiles the source files if sources are allowed, and reads standard input. Returns 0, or
 * the exit status; an error was printed. */
int hunt_open(struct hunt *hunt, const char *command, const struct options *options, bool sources);
void hunt_close(struct hunt *hunt);

/* One that ends executions. */
bool hunt_has_fatal_bug(const struct hunt *hunt, const struct session_result *result);

/* Searches within the limits; then reproduces and tells all that was found. shrink: make the schedules simpler first.
 */
void hunt_search(struct hunt *hunt, uint64_t executions, double seconds, struct session_result *result);
/* The same for an exhaustive search. enough: may be NULL (supervisor.h). */
void hunt_explore(struct hunt *hunt, struct division *division, double seconds,
                  bool (*enough)(void *, const struct division *, double), void *context,
                  struct session_result *result);
void hunt_reproduce_all(struct hunt *hunt, const struct session_result *result, bool shrink);

/* What was done, at the end of every search: how many executions, how fast, by which strategies, and why it is not
 * complete. */
void hunt_print_search(const struct hunt *hunt, const struct session_result *result);

/* Writes the JSON and SARIF documents and tells what went wrong. Returns the exit status. */
int hunt_finish(struct hunt *hunt, const struct session_result *result);

/* Writes the document if --json asks for it. False: an error was printed. */
bool write_json(const struct options *options, struct json_document *document);

/* Writes the SARIF log of these parts if --sarif asks for it. status: the exit status. False: an error was printed. */
bool write_sarif(const struct options *options, const struct sarif_part *parts, size_t count, int status);

#endif
