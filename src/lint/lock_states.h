/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of states of a walk, and facts about simple conditions. Of no concern outside of lock_*.c.
 */
#ifndef HEDDLE_LINT_LOCK_STATES_H
#define HEDDLE_LINT_LOCK_STATES_H

#include "lint/lock_walk.h"

/* Adds one, or all. Of paths with the same locks there is one state, which knows what all of them know: facts are only
 * of use where they go with locks. False: there is no room. */
bool states_add(struct lock_states *to, struct lock_state state);
bool states_join(struct lock_states *to, const struct lock_states *from);
/* Whether all of the second are in the first. */
bool states_include(const struct lock_states *all, const struct lock_states *some);

/* A simple condition, as it was first seen. */
struct walk_fact {
  uint64_t shape;
  struct code_place code;
  bool is_local; /* it is about local variables alone */
};

struct walk_facts {
  struct walk_fact fact[FACTS_MOST];
  unsigned count;
};

/* The number of the fact that a condition asks for; *negated: it holds when the fact does not. FACTS_MOST: it is no
 * fact, because it is not simple, or there are too many. */
unsigned fact_of(struct walk_facts *facts, const struct whole_program *p, struct code_place code, bool *negated);

/* The symbol (of the unit) is changed: what is known of it is forgotten. */
void facts_forget(const struct walk_facts *facts, const struct whole_program *p, uint32_t symbol,
                  struct lock_states *states);
/* The same for all that others can change, of what was first asked between these nodes. */
void facts_forget_shared(const struct walk_facts *facts, uint32_t from, uint32_t to, struct lock_states *states);

#endif
