/* SPDX-License-Identifier: Apache-2.0
 *
 * The states that the objects of a running program are in, by the protocol of their type: what its calls have really
 * made of them so far. The protocol itself is the plan's (core/plan.h), an automaton as all are
 * (core/automaton_table.h); this is where each object stands in it. For the strategy confirm; all memory is the
 * structure itself.
 */
#ifndef HEDDLE_STRATEGY_TYPESTATES_H
#define HEDDLE_STRATEGY_TYPESTATES_H

#include "core/control.h"
#include "core/plan.h"

#define TYPESTATES 4096u /* objects followed; what is said of further ones is that everything is allowed */

struct typestates {
  const struct plan_protocol *protocol;
  const struct control_config *config;
  uint32_t count;
  struct typestate {
    uint32_t object; /* 0: free */
    uint16_t state;
  } of[TYPESTATES];               /* by object, the next free place if its own is taken */
  uint16_t method[WATCHED_CALLS]; /* of a function + 1; 0: not looked up yet */
};

void typestates_begin(struct typestates *s, const struct plan_protocol *protocol, const struct control_config *config);
/* Whether the object's state has an edge for the call (OP_CALL). Functions that are not in the protocol are allowed. */
bool typestates_allow(struct typestates *s, const struct operation *call);
void typestates_call(struct typestates *s, const struct operation *call);

#endif
