/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of heddle lint, in one table. To add one: a file with a function that takes a program and adds findings,
 * and a row in lint_rules.c.
 */
#ifndef HEDDLE_LINT_LINT_RULES_H
#define HEDDLE_LINT_LINT_RULES_H

#include "lint/lint_finding.h"
#include "lint/whole_program.h"

struct lint_work;

/* Which loops without a bound a rule means: all, or those of which it is seen that somebody outside decides how often
 * they create and nothing looks like a limit, or the others. */
enum lint_outside { OUTSIDE_ANY, OUTSIDE_SEEN, OUTSIDE_UNSEEN };

struct lint_rule {
  const char *name;
  bool usual;             /* on unless somebody says otherwise */
  const char *title;      /* one sentence */
  const char *text;       /* what it is, for --explain */
  const char *help;       /* what to do about it */
  const char *trial;      /* how heddle can try it; NULL: it cannot */
  const char *message;    /* of findings about loops */
  enum lint_word word;    /* what creates, of those */
  enum lint_word release; /* and what ends it */
  bool from_outside;      /* only loops that take something from outside are meant */
  enum lint_outside outside;
  /* False: no memory left. */
  bool (*run)(struct lint_work *work, unsigned rule);
};

enum { LINT_RULES = 18 };
extern const struct lint_rule lint_rules[LINT_RULES];

/* C that a rule tells something of, and the same without the mistake (lint_examples.c). */
struct lint_example {
  const char *wrong, *right;
};
/* NULL: there is no such rule. */
const struct lint_example *lint_example_of(const char *rule);

const char *lint_rule_name(unsigned rule);
/* UINT_MAX: there is none of that name. */
unsigned lint_rule_by_name(const char *name);

/* What bounds a loop, by the numbers of bounding.h, from 1. */
enum { LINT_PATTERN_TEXTS = 10 };
extern const char *const lint_pattern_text[LINT_PATTERN_TEXTS + 1];

/* Creations in loops without a bound (creation.c). */
bool creation_run(struct lint_work *work, unsigned rule);

/* Habits; the file's name says what they are about. */
bool wait_outside_loop_run(struct lint_work *work, unsigned rule);  /* habit_waits.c */
bool wait_without_mutex_run(struct lint_work *work, unsigned rule); /* habit_waits.c */
bool unlocked_predicate_run(struct lint_work *work, unsigned rule); /* habit_signals.c */
bool lock_kept_run(struct lint_work *work, unsigned rule);          /* habit_returns.c */
bool locked_pointer_run(struct lint_work *work, unsigned rule);     /* habit_returns.c */
bool double_checked_run(struct lint_work *work, unsigned rule);     /* habit_shared.c */
bool volatile_as_atomic_run(struct lint_work *work, unsigned rule); /* habit_shared.c */
bool sleep_to_wait_run(struct lint_work *work, unsigned rule);      /* habit_sleeps.c */
bool one_thread_call_run(struct lint_work *work, unsigned rule);    /* habit_calls.c */
bool unsafe_in_handler_run(struct lint_work *work, unsigned rule);  /* habit_handlers.c */
bool local_to_detached_run(struct lint_work *work, unsigned rule);  /* habit_locals.c */

#endif
