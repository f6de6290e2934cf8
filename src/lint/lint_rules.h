/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of heddle lint, in one table. To add one: a file with a function that takes a program and adds findings,
 * and a row here.
 */
#ifndef HEDDLE_LINT_LINT_RULES_H
#define HEDDLE_LINT_LINT_RULES_H

#include "lint/lint_finding.h"
#include "lint/whole_program.h"

struct lint_choice;

struct lint_rule {
  const char *name;
  bool usual;             /* on unless somebody says otherwise */
  const char *title;      /* one sentence */
  const char *text;       /* what it is, for --explain */
  const char *help;       /* what to do about it */
  const char *message;    /* of its findings */
  enum lint_word word;    /* what creates, of those about loops */
  enum lint_word release; /* and what ends it */
  /* False: no memory left. */
  bool (*run)(const struct whole_program *program, const struct lint_choice *choice, unsigned rule,
              struct findings *findings);
};

enum { LINT_RULES = 5 };
extern const struct lint_rule lint_rules[LINT_RULES];

const char *lint_rule_name(unsigned rule);
/* UINT_MAX: there is none of that name. */
unsigned lint_rule_by_name(const char *name);

/* Of creations in loops without a bound (creation.c). */
bool creation_run(const struct whole_program *program, const struct lint_choice *choice, unsigned rule,
                  struct findings *findings);

#endif
