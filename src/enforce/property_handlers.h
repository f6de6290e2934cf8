/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done about events of properties in free runs: violations are told, and functions of the program, or scripts,
 * that specifications name are called. No lock of ours is held meanwhile.
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_HANDLERS_H
#define HEDDLE_ENFORCE_PROPERTY_HANDLERS_H

#include "core/property_instances.h"
#include "heddle_property.h"

/* Before main: the function of the program that a specification names. */
void property_set_handler(uint32_t property, enum handled what, hd_property_handler *handler);

/* Whether the property is enforced, and something is called when its events were read. */
bool property_has_handler(uint32_t property);
/* The event was read. The handler of a property that is enforced is called then, as its category was not left; that of
 * another one when it is violated. */
void property_handle(const struct property_reading *reading, bool violated);
/* Nobody can go on, and the property holds some thread: whether there was a handler. */
bool property_handle_deadlock(const struct property_reading *reading);

/* How many violations were told. */
uint64_t property_violations(void);

#endif
