/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops around a call, and the condition under which it is reached in them:
 *
 *   the condition of the loop && the guards of the branches that the call is in && the negated guards of what leaves
 *   the loop, or skips the call
 *
 * A guard that the call has as well is left out of those of a jump. After a loop that waits, its condition does not
 * hold. Loops are statements, backward gotos, recursion, and what a library calls again and again: then the function is
 * the loop.
 */
#ifndef HEDDLE_LINT_LOOPS_H
#define HEDDLE_LINT_LOOPS_H

#include "lint/condition.h"

enum loop_kind { LOOP_STATEMENT, LOOP_GOTO, LOOP_RECURSION, LOOP_CALLBACK, LOOP_OWN_KIND };

struct lint_loop {
  enum loop_kind kind;
  uint32_t function;
  uint32_t unit, node; /* the statement, the label, or the function */
  uint32_t from, to;   /* nodes that are repeated */
  uint32_t jump;       /* GOTO: the jump back */
  uint32_t line;
};

/* Statements and gotos around a node, the innermost first; how many, at most `most`. */
#define LOOPS_MOST 8
unsigned loops_around(const struct whole_program *p, uint32_t function, uint32_t node, struct lint_loop *out,
                      unsigned most);

/* All of a function as what is repeated. */
struct lint_loop loop_of_function(const struct whole_program *p, uint32_t function, enum loop_kind kind);

/* Whether locals live longer than one turn. */
static inline bool loop_keeps_locals(const struct lint_loop *loop)
{
  return loop->kind == LOOP_STATEMENT || loop->kind == LOOP_GOTO;
}

/* What is asked before each turn; true if nothing is. */
const struct condition *loop_condition(struct conditions *c, const struct whole_program *p,
                                       const struct lint_loop *loop, unsigned level);

/* Under which the node is reached in a turn, the condition of the loop included. */
const struct condition *reaching_condition(struct conditions *c, const struct whole_program *p,
                                           const struct lint_loop *loop, uint32_t node, unsigned level);

/* The same, and under which the loop goes on behind it: under which it is reached more than once. */
const struct condition *instantiation_condition(struct conditions *c, const struct whole_program *p,
                                                const struct lint_loop *loop, uint32_t node, unsigned level);

/* The guards of a node that another one has not, inside of the loop. */
const struct condition *guards_of(struct conditions *c, const struct whole_program *p, const struct lint_loop *loop,
                                  uint32_t node, uint32_t other, unsigned level);

#endif
