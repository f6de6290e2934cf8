/* SPDX-License-Identifier: Apache-2.0
 *
 * What monitors read in a traced execution, put where reports find it (core/monitor_trace.h). For the observer of
 * properties alone; decides nothing.
 */
#ifndef HEDDLE_OBSERVER_MONITOR_LANES_H
#define HEDDLE_OBSERVER_MONITOR_LANES_H

#include "core/engine.h"
#include "core/property_instances.h"

void monitor_lanes_begin(struct engine *e);
/* All monitors that have just read the event, or whose objects are no more by it. */
void monitor_lanes_note(struct engine *e, const struct property_instances *t, const struct property_reading *reading,
                        const struct property_instance *violated);

#endif
