/* SPDX-License-Identifier: Apache-2.0
 *
 * The monitors of a running program: one for each property and each combination of values that its parameters came to
 * have, in a fixed amount of memory.
 *
 * An event that binds some parameters is read by all monitors that have the same values for them. Before that, new ones
 * come to be: one for exactly these values, if the event is a creation event (of a property that marks none, all are),
 * and one for each that has values for other parameters and agrees on those that both have; a new one goes on from the
 * most specific of the old ones that it agrees with. So each monitor reads exactly the events that concern it, as if
 * there were no others (parametric trace slicing).
 *
 * An address that was given back and out again is another object: what was known by it is found by it no more.
 */
#ifndef HEDDLE_CORE_PROPERTY_INSTANCES_H
#define HEDDLE_CORE_PROPERTY_INSTANCES_H

#include "core/monitor.h"
#include <stddef.h>

#define PROPERTY_INSTANCES 1024
#define PROPERTY_MEMORIES 256
#define PROPERTIES_AT_ONCE 8 /* that are enforced, and read one thing that happens as one step */

/* An event as a monitor reads it, and who was there. */
struct property_reading {
  uint32_t rule; /* index into the set's */
  int64_t value[PROPERTY_VALUES];
  uint32_t thread;
  uintptr_t pc;
};

struct property_instance {
  uint8_t property;
  uint8_t bound, gone;    /* parameters that have values; that are of objects which are no more; sets */
  bool used, fresh;       /* fresh: made for an event that it has not read yet */
  uint16_t state, memory; /* memory: index + 1, 0 for none */
  uint32_t categories;
  uint32_t readings;
  uint32_t number;              /* from 1: no other one in the execution has it */
  uint64_t read;                /* the last event that it read, or that was its end, as a number (`events`) */
  struct property_reading last; /* the latest that changed what it knows, if there was one */
  int64_t value[PROPERTY_PARAMETERS];
  int64_t variable[PROPERTY_VARIABLES];
};

/* What came of an event. */
struct property_outcome {
  const struct property_instance *violated; /* the first one, or NULL */
  struct property_reading before;           /* the event that it read before, of rule PROPERTY_RULES if there is none */
  uint16_t from;                            /* state it was in */
  bool lost;                                /* there was no room for all: from now on nothing is known of some */
};

struct property_instances {
  const struct property_set *set;
  uint32_t count; /* entries in use, or that were */
  bool lost;
  uint32_t made;   /* so far */
  uint64_t events; /* so far, not only those that were read */
  struct property_instance instance[PROPERTY_INSTANCES];
  struct monitor_memory memory[PROPERTY_MEMORIES];
  bool taken[PROPERTY_MEMORIES];
  struct monitor_memory scratch; /* of a monitor that an event is tried on */
};

/* Whether a monitor that says so of the trace says that the property is violated. */
static inline bool property_is_violated(const struct property *p, uint32_t categories)
{
  return !(categories & CATEGORY_LOST) && (categories & p->reach || (p->leave && !(categories & p->leave)));
}

void property_instances_begin(struct property_instances *t, const struct property_set *set);
/* Only those of one property. */
void property_instances_keep(struct property_instances *t, uint32_t property);
struct property_outcome property_instances_read(struct property_instances *t, const struct property_reading *reading);

/* Who is blocked: the thread of that name, or, if that is empty, of that number (thread(), property_spec.h). */
struct property_threads {
  bool (*blocked)(const void *self, const char *name, int64_t number);
  const void *self;
};
/* Whether the event violates nothing, and who must be blocked is. Changes nothing but a monitor's worth of scratch
 * memory. */
bool property_instances_admit(struct property_instances *t, const struct property_reading *reading,
                              const struct property_threads *threads);
/* A monitor that has just read the event; NULL: none has, by their conditions. */
const struct property_instance *property_instances_last(const struct property_instances *t, uint32_t rule,
                                                        uint32_t thread, uintptr_t pc);
/* The name of the state that it is in; NULL: it has none. */
const char *property_instances_state(const struct property_instances *t, const struct property_instance *i);
/* Its state in words, whether it has a name or not. */
void property_instances_describe(const struct property_instances *t, const struct property_instance *i, char *out,
                                 size_t size);
/* The memory there is a new object's. */
void property_instances_renew(struct property_instances *t, uintptr_t addr, size_t size);

#endif
