/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle lint: what can be said of concurrency by reading sources, without running them.
 *
 *   compile commands ─▶ gather.h: each unit, in processes beside each other ─▶ syntax.h: its functions as a small tree
 *                           (syntax_read.c, the only part that knows libclang)     │ bytes in a cache (fact_cache.h)
 *   vocabulary.h: names that mean something ─┐                                     ▼
 *   lint_rules.h: a table of rules ─────────┴─▶ whole_program.h: all units, who calls whom ─▶ findings (lint_finding.h)
 *
 * Facts are read once per unit and kept by the content of all files that were read, so a second run reads no C. All
 * rules work on facts alone. What a rule asks is its own file: creation.c walks from what creates threads up its
 * callers, loops.h finds the loops on the way and the condition under which the creation is reached, bounding.h says
 * which pattern bounds it, in all and at the same time. Both verdicts are heuristics, in both directions: the question
 * is whether somebody meant a bound, not its value. Of a loop without one, bounding_outside.c says whether somebody
 * outside decides how often it creates, and seeming_limits.c whether something looks like a limit all the same.
 *
 * Habits are what a person would see by reading, each a rule (habit_*.c, habit.h); where it matters which locks are
 * held, lock_walk.h says so.
 */
#ifndef HEDDLE_LINT_LINT_H
#define HEDDLE_LINT_LINT_H

#include "lint/lint_finding.h"
#include "lint/lint_rules.h"
#include "lint/lock_effects.h"
#include "lint/whole_program.h"

/* What a person chose about the analysis. */
struct lint_choice {
  unsigned calls;    /* most calls from a creation up to the loop, itself included */
  unsigned loops;    /* most loops around it */
  unsigned patterns; /* a set: bit n for pattern n */
  bool direct_only;  /* calls through pointers are not followed */
  uint32_t rules;    /* a set: bit n for row n of the table */
};

#define LINT_CALLS 3 /* where published figures stop changing for most programs */
#define LINT_LOOPS 2
#define LINT_PATTERNS 10
#define LINT_ALL_PATTERNS ((1u << (LINT_PATTERNS + 1)) - 2)

/* What rules work on, and where they put what they find. */
struct lint_work {
  const struct whole_program *program;
  const struct lint_choice *choice;
  struct lock_effects *effects;
  unsigned char *given_up; /* by function: more of something than there is room for; not all of it was looked at */
  struct findings *findings;
};

/* Adds what the chosen rules find, sorted by place. False: no memory left. */
bool lint_run(const struct whole_program *program, const struct lint_choice *choice, struct findings *findings);

#endif
