/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two halves of a walk share: expressions and questions (lock_walk.c), statements and loops
 * (lock_statements.c). Of no concern outside of these. Each function takes the states that come to a node and leaves in
 * their place those that go on behind it; what jumps is added where it jumps to.
 */
#ifndef HEDDLE_LINT_LOCK_WALKER_H
#define HEDDLE_LINT_LOCK_WALKER_H

#include "lint/lock_states.h"

struct walk_label {
  uint32_t symbol;
  struct lock_states states;
};

struct walker {
  struct lock_walk *walk;
  const struct whole_program *program;
  const struct syntax *syntax;
  uint32_t unit;
  struct walk_facts facts;
  struct lock_states *breaks, *continues; /* of what is around; NULL: nothing */
  const struct lock_states *cases;        /* that come to each case of the switch */
  struct walk_label label[LABELS_MOST];
  unsigned labels;
};

/* ---- expressions and questions ---- */

void walk_evaluate(struct walker *w, uint32_t node, struct lock_states *s);
void walk_evaluate_below(struct walker *w, uint32_t node, struct lock_states *s);
/* Divides the states by a condition. */
void walk_ask(struct walker *w, uint32_t node, struct lock_states *s, struct lock_states *yes, struct lock_states *no);
/* An if, or a conditional expression. */
void walk_choice(struct walker *w, uint32_t node, struct lock_states *s);
/* What a literal says: 1 true, 0 false, -1 it is none. */
int walk_literal_truth(const struct walker *w, uint32_t node);
void walk_set_lock(struct walker *w, struct lock_states *s, uint32_t bit, bool held, bool released);
void walk_join(struct walker *w, struct lock_states *to, const struct lock_states *from);
void walk_visit(struct walker *w, enum walk_moment moment, uint32_t node, const struct lock_states *s);

/* ---- statements ---- */

void walk_execute(struct walker *w, uint32_t node, struct lock_states *s);
/* From the first statement of a FUNCTION to its end. */
void walk_function(struct walker *w, uint32_t node);

#endif
