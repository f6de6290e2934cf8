/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a loop that reaches a creation has a bound: by the patterns of the published analysis (1 to 6), and by ours.
 *
 *   1  a walk through a collection that is not shared     2  an iterator, a list or an array up to its end
 *   3  a flag that the loop turns over                    4  a collection that is only emptied
 *   5  a number that runs towards a constant              6  a pointer that is set once
 *   7  a slot of a semaphore, or a place of a table       8  a counter of threads that is compared with a limit
 *   9  a limit that somebody configured is a constant    10  the thread is joined in the same turn
 *
 * 7, 8 and 10 bound how many threads there are at the same time, not how many there are in all: two verdicts. A loop
 * that only goes on when the creation has failed creates one, which needs no pattern.
 *
 * The condition has parts in the function of the loop and in those between it and the creation: what is local to these
 * is new in each turn.
 */
#ifndef HEDDLE_LINT_BOUNDING_H
#define HEDDLE_LINT_BOUNDING_H

#include "lint/loops.h"
#include "lint/object_changes.h"

#define PATH_MOST 16 /* calls from a loop to a creation */

/* A call on the way up from a creation: the first calls what creates, the next one the function that the first is in.
 */
struct path_step {
  uint32_t function;      /* that calls */
  struct code_place code; /* the call */
  bool may;               /* through a pointer */
};

#define REASON_SIZE 256
#define REASONS_MOST 8

/* Why a part of the condition bounds nothing, or what it bounds. */
struct bound_reason {
  char condition[REASON_SIZE];
  char why[REASON_SIZE];
};

/* Where it is seen that somebody outside decides how often the loop creates. */
struct chosen_outside {
  uint32_t function, line;
  char why[REASON_SIZE]; /* empty: it is seen nowhere */
};

struct loop_verdict {
  bool total, live; /* bounded */
  unsigned total_pattern, live_pattern;
  char condition[512];
  struct bound_reason reason[REASONS_MOST];
  unsigned reasons;
  bool more_reasons;             /* than there is room for */
  char live_why[REASON_SIZE];    /* what bounds those at the same time */
  struct chosen_outside outside; /* of one without a bound */
  char limit[REASON_SIZE];       /* and what looks like one, though no pattern fits; empty: nothing does */
};

struct bound_question {
  const struct whole_program *program;
  unsigned patterns;      /* that may be used: bit n for pattern n */
  enum lint_word release; /* what ends the life of what is created, in pattern 10 */
  bool fails_by_value;    /* what creates returns 0 when it has worked */
  bool asks_outside;      /* who decides how often matters, if there is no bound */
  const struct path_step *step;
  unsigned level; /* of the step that is in the loop */
  struct lint_loop loop;
};

/* False: no memory left. */
bool loop_judge(const struct bound_question *question, struct loop_verdict *verdict);

#endif
