/* SPDX-License-Identifier: Apache-2.0
 *
 * The monitors of a program that runs freely, in parts with a lock each; see property_keeping.h.
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_PARTS_H
#define HEDDLE_ENFORCE_PROPERTY_PARTS_H

#include "core/property_instances.h"

#define PROPERTY_PARTS 64 /* of a property whose events all bind one parameter */

struct property_part {
  uint32_t lock;     /* over the monitors */
  uint32_t changes;  /* grows when they have changed; held threads sleep on it */
  uint32_t sleepers; /* on it */
  uint32_t begun;    /* the monitors are at their start, or further */
  struct property_instances monitors;
};

/* False: no memory left. */
bool property_parts_begin(const struct property_set *set);
/* Whose monitors read it. */
struct property_part *property_part_of(const struct property_reading *reading);
/* Locked, with its monitors at their start if it is used for the first time. */
void property_part_lock(struct property_part *part, uint32_t property);
void property_part_unlock(struct property_part *part);

/* Something was read: who sleeps on the part looks again. */
void property_part_changed(struct property_part *part);
/* Until something was read since then; without the lock. */
void property_part_wait(struct property_part *part, uint32_t since);

/* With the lock: the values of the reading are known to be addresses of objects that monitors know. */
void property_note_addresses(const struct property_reading *reading);
/* Objects there are no more. */
void property_forget(uintptr_t addr, size_t size);

#endif
