/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of a blame: which switch, in a sentence what it did, and how that was found; for a terminal and as JSON.
 * Decides nothing; what is to blame is worked out in blame.c and by the runs of the strategy
 * localise. */
#ifndef HEDDLE_REPORT_BLAME_TEXT_H
#define HEDDLE_REPORT_BLAME_TEXT_H

#include "report/blame/blame.h"
#include "report/story/story.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/*  X(constant, name in JSON) */
#define HD_BLAMES(X)                                                                                                   \
  X(SWITCH, "switch")                                                                                                  \
  X(MISSING_SWITCH, "fails-serially") /* it fails whichever thread goes first: a switch is missing */                  \
  X(NEEDS_SWITCH, "needs-switch")     /* there is no switch, and with one it passes */                                 \
  X(ALWAYS, "fails-always")           /* there is no switch: one thread, or nobody to switch to */                     \
  X(RACE, "race")                     /* two accesses that nothing orders: no switch is to blame */                    \
  X(UNFAITHFUL, "unfaithful")         /* the whole schedule, followed again, passed */                                 \
  X(TOO_LONG, "too-long")             /* the time or the room for trials was up before one passed */

enum blame_verdict {
#define X(id, name) BLAME_##id,
  HD_BLAMES(X)
#undef X
      BLAME_VERDICTS
};

struct blame_view {
  enum blame_verdict verdict;
  const struct story *story;   /* of the failing run, with its events */
  const struct story *passing; /* of a run that passes; NULL: none is known */
  const struct blame_trace *trace, *passing_trace;
  struct schedule_record *passes; /* a missing switch: the shortest schedule that passes; NULL: none was found */
  uint32_t at; /* the switch to blame; when it took too long, the last one looked at: that one or one before it is. 0:
                  none */
  bool interrupted; /* before it was over */
  const struct pattern *patterns;
  size_t pattern_count;
  const struct trial *trials; /* that were run to find the switch, in order */
  uint32_t trial_count;
  uint32_t serial_runs; /* that tried orders of whole threads before */
  uint32_t other_runs;  /* and those that tried patterns */
  bool random;          /* who goes first was chosen by chance */
};

/* The step of the first event behind the switch to blame; 0 when it is not in the trace. */
uint64_t blame_first_step(const struct blame_view *view);

/* What became of it, in a few words. */
const char *pattern_gloss(enum pattern_kind kind);

/* What a pattern is, as a sentence without its end: "T1 reads `x` at a.c:4 and writes it at :5 as if ...". */
void describe_pattern(const struct blame_view *view, const struct pattern *pattern, char *out, size_t n);

/* What would forbid it; empty when that is not known. */
void describe_remedy(const struct blame_view *view, const struct pattern *pattern, char *out, size_t n);

/* For a terminal, to stand below the story of the bug. */
void blame_print(FILE *out, const struct blame_view *view);

/* The members of a JSON object. */
void blame_json(json_t *object, const struct blame_view *view, bool *good);

/* Such an object as text, malloc'ed; NULL when there is no memory. */
char *blame_json_text(const struct blame_view *view);

#endif
