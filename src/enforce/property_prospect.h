/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an event that a monitor does not allow now can ever be allowed by events that may come: if not, who is held
 * before it is held for ever. Only tables are looked through; of other monitors nothing is known.
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_PROSPECT_H
#define HEDDLE_ENFORCE_PROPERTY_PROSPECT_H

#include "core/property.h"

/* By the events that may come, a set. Not to be called by two threads at once. */
bool property_may_be_allowed(const struct property_set *set, uint32_t property, uint16_t state, uint32_t event,
                             uint64_t coming);

/* Whether events alone move its monitors: no object of it can be given back, and no condition leaves the event out. */
bool property_moves_by_events(const struct property_set *set, const struct property_rule *rule);

#endif
