/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions under which code is reached, as a tree of simple ones with the negations pushed inward, and their text.
 */
#ifndef HEDDLE_LINT_CONDITION_H
#define HEDDLE_LINT_CONDITION_H

#include "lint/whole_program.h"

enum condition_kind { CONDITION_TRUE, CONDITION_FALSE, CONDITION_SIMPLE, CONDITION_AND, CONDITION_OR };

struct condition {
  enum condition_kind kind;
  struct code_place code;  /* SIMPLE: what is asked */
  struct code_place value; /* of a `case`: what the code is compared with, or its label; else none */
  bool negated;
  unsigned level; /* SIMPLE: which function of a path it is in (bounding.h) */
  const struct condition *left, *right;
};

/* Where conditions live; all zero is an empty one. */
struct conditions {
  struct condition **block;
  size_t blocks, used;
  bool failed; /* no memory left: all is true then */
};
void conditions_close(struct conditions *c);

const struct condition *condition_constant(bool value);
/* Of an expression. */
const struct condition *condition_of(struct conditions *c, const struct whole_program *p, struct code_place code,
                                     bool negated, unsigned level);
/* Of a `case`: value == label, which is the expression of the label; the label itself for any other value. */
const struct condition *condition_case(struct conditions *c, struct code_place value, struct code_place label,
                                       unsigned level);
const struct condition *condition_and(struct conditions *c, const struct condition *left,
                                      const struct condition *right);
const struct condition *condition_or(struct conditions *c, const struct condition *left, const struct condition *right);
const struct condition *condition_not(struct conditions *c, const struct condition *condition);

/* The operator of a comparison as it holds: `<` of a negated `>=`. NONE: it is no comparison. OTHER: the value of a
 * switch is another one than those of its cases. */
enum syntax_operator condition_operator(const struct whole_program *p, const struct condition *simple);

/* Whether all of it says what the simple one says, word for word. */
bool condition_says(const struct whole_program *p, const struct condition *all, const struct condition *simple);

/* As C, `c1 && !c2 && c3`; cut when it is longer. */
void condition_text(const struct whole_program *p, const struct condition *condition, char *out, size_t size);

#endif
