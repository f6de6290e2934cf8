/* SPDX-License-Identifier: Apache-2.0
 *
 * The monitors of a program that runs freely, in parts with a lock each; see property_keeping.h.
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_PARTS_H
#define HEDDLE_ENFORCE_PROPERTY_PARTS_H

#include "enforce/property_cells.h"

#define PROPERTY_PARTS 64 /* of a property whose events all bind one parameter */

/* Over the parts of all properties that have the same number: what is done with one object needs one lock, however many
 * properties read it. A property that cannot be divided has its own. */
struct part_lock {
  _Alignas(64) uint32_t word;
};

struct property_part {
  _Alignas(64) struct part_lock *lock;
  struct property_cells *cells; /* or: */
  struct property_instances *monitors;
  uint32_t property;
  uint32_t changes;  /* grows when they have changed; held threads sleep on it */
  uint32_t sleepers; /* on it */
  uint32_t begun;    /* the monitors are at their start, or further */
};

/* False: no memory left. */
bool property_parts_begin(const struct property_set *set);
/* Whose monitors read it. */
struct property_part *property_part_of(const struct property_reading *reading);

/* What a part reads: an event, and what is known of it for small monitors. */
struct part_event {
  const struct kept_rule *rule;
  const struct property_reading *reading;
  struct property_part *part;
  struct cell_event cell;
};
void property_part_event(struct part_event *e, const struct property_reading *reading);

/* With the lock: whether it violates nothing, and who must be blocked is. */
bool property_part_admits(struct part_event *e, const struct property_threads *threads);
/* With the lock: it is read. What came of it, a set of CELLS_VIOLATED and CELLS_LOST. */
unsigned property_part_read(struct part_event *e);
/* After the lock was given back: who sleeps on the part, in which something was read, looks again. */
void property_part_wake(struct property_part *part);
/* With the lock: who sleeps on the part looks again. */
void property_part_changed(struct property_part *part);
/* Until something was read since then; without the lock. */
void property_part_wait(struct property_part *part, uint32_t since);

/* With the lock: states of the monitors that read the event, as text. */
size_t property_part_text(struct part_event *e, char *out, size_t size);

/* With the lock: whether some monitor will never allow the event by those that may come, a set. */
bool property_part_never_admits(struct part_event *e, uint64_t coming);

/* Objects there are no more. */
void property_forget(uintptr_t addr, size_t size);

#endif
