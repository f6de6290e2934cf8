/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeping properties while a program's threads run freely: heddle enforce, and programs that are linked with what
 * heddle spec writes.
 *
 * What a thread does is compared with the rules of the properties (core/property_happening.h). If it is an event of
 * properties that are enforced, it is tried on all monitors that would read it, and read by all of them or by none, in
 * one critical section; a thread whose event would leave a property waits, without any lock, until a monitor of that
 * property has read something else, an object of it is no more, or who it asks for is blocked. Properties that are not
 * enforced only read, and tell of violations; in passive mode so do all.
 *
 * Monitors of a property are divided by the value of a parameter that all its events bind, if there is one. The parts
 * that belong to a value have one lock, whatever their properties; a property that cannot be divided has its own. Locks
 * are taken in the order of their addresses. Events that change none of the monitors that read them, as many do, are
 * seen to do so without a lock (property_cells.h). No lock is held while code of the program runs; nothing here
 * allocates.
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_KEEPING_H
#define HEDDLE_ENFORCE_PROPERTY_KEEPING_H

#include "core/property_happening.h"
#include "enforce/order_keeping.h"

/* Where a thread is held. */
struct property_hold {
  struct property_reading reading;
  bool by_choice; /* it could go on (property_choices.h) */
};

/* Before main: what is kept from now on. The set lasts. */
bool property_keep(const struct property_set *set, enum keeping how);
enum keeping property_how(void);
const struct property_set *properties_kept(void);

/* The calling thread does something; it is held before it, if need be. */
void property_happens(struct property_happening *h);
void property_thread_starts(void);
void property_thread_ends(void);

/* Memory is given back, or a destructor was called: what is known of objects there is of no other one. */
void property_freed(uintptr_t addr, size_t size);

/* The calling thread runs code of ours, or a handler: what it does is no event. What it was before. */
bool property_enter(void);
void property_leave(bool before);
bool property_is_inside(void);

/* State of the monitors that read the event, as text. */
size_t property_states_text(const struct property_reading *reading, char *out, size_t size);
/* Whether the event can never be let through by those of its property that may still come, a set. Only for the thread
 * that looks for deadlocks. */
bool property_is_hopeless(const struct property_reading *reading, uint64_t coming);
/* "next of SafeIteration(l = 0x…)" */
size_t property_reading_text(const struct property_reading *reading, char *out, size_t size);

/* Grows whenever monitors have read something. */
uint64_t property_progress(void);
/* Of all properties together, in the end. */
void property_end(void);

#endif
