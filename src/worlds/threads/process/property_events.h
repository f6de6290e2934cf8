/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of properties (core/property.h): what the program does is compared with their rules, and each that fits is a
 * step of its own, OP_PROPERTY, which the observer of properties reads.
 */
#ifndef HEDDLE_RUNTIME_PROPERTY_EVENTS_H
#define HEDDLE_RUNTIME_PROPERTY_EVENTS_H

#include "core/operation.h"
#include "core/property_instances.h"
#include <stddef.h>

/* A watched function is called, or has returned. */
void property_call(uint32_t function, bool after, const uintptr_t argument[6], uintptr_t result, uintptr_t pc);
/* The program is at a mark (hd_event). */
void property_mark(const char *name, uintptr_t pc);
/* The thread is about to access memory, if some of that is of a variable that a rule names. */
extern bool property_watches_memory;
void property_access(uintptr_t addr, size_t size, enum op_kind kind, uintptr_t pc);
/* There are properties: in all other programs the following cost nothing but this look. */
extern bool property_events_asked;
/* Of these, some ask for the names of threads; some tell objects apart by their addresses. */
extern bool property_asks_names, property_asks_addresses;
/* It asks for a mutex or has it; is about to give it back or has done so. */
void property_take_lock(const void *mutex, bool after, uintptr_t pc);
void property_take_unlock(const void *mutex, bool after, uintptr_t pc);
/* The thread begins or ends. */
void property_take_thread(enum event_source source);
static inline void property_lock(const void *mutex, bool after, uintptr_t pc)
{
  if (__builtin_expect(property_events_asked, false))
    property_take_lock(mutex, after, pc);
}
static inline void property_unlock(const void *mutex, bool after, uintptr_t pc)
{
  if (__builtin_expect(property_events_asked, false))
    property_take_unlock(mutex, after, pc);
}
static inline void property_thread(enum event_source source)
{
  if (__builtin_expect(property_events_asked, false))
    property_take_thread(source);
}
/* world.h: readings */
unsigned property_readings(void *self, unsigned thread, struct property_reading out[PROPERTIES_AT_ONCE]);
/* A call was left in another way than by its return: what follows in this execution is no event any more, as nobody
 * knows what it would have to be compared with. */
void property_left(void);
/* Another execution begins. */
void property_reset(void);

#endif
