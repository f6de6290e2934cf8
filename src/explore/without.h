/* SPDX-License-Identifier: Apache-2.0
 *
 * What could have happened without an event: whether a later step is possible if the event, and all that happens after
 * it, had not been, and what it would meet then. Found from the states of its object that were noted along the chain.
 */
#ifndef HEDDLE_EXPLORE_WITHOUT_H
#define HEDDLE_EXPLORE_WITHOUT_H

#include "explore/order.h"

/* The state the object would have before the late step if e and all that happens after it had not been. What has no
 * place in the chain but changed it between two that have, as the end of a process does that held a lock, happens after
 * all before it. */
uint64_t state_without(const struct order *o, const struct link *own, uint32_t e);
/* An event it was released by (+ 1) is there without e too. */
bool stays(const struct order *o, uint32_t by, uint32_t e);
bool possible_without(const struct order *o, const struct order_event *late, uint32_t e);
/* Whether the late step is a compare-and-swap that does not find what it looks for without e. */
bool fails_without(const struct order *o, const struct order_event *late, uint32_t e);

#endif
