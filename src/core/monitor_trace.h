/* SPDX-License-Identifier: Apache-2.0
 *
 * What the monitors of properties read in a traced execution, and the states they came to by it: a part of the answer
 * (job.h), for reports alone. Texts are whole, so that whoever shows them needs no specification; addresses are given
 * with what names them (world.h). Beyond the room there is, readings are counted and not kept.
 */
#ifndef HEDDLE_CORE_MONITOR_TRACE_H
#define HEDDLE_CORE_MONITOR_TRACE_H

#include "core/property.h"
#include "core/trace_event.h"

#define TRACED_MONITORS 256
#define TRACED_READINGS 8192

/* A parameter of a monitor that has a value. */
struct traced_value {
  char name[PROPERTY_NAME];
  int64_t value;
  bool is_address;    /* then, as in struct bug_party: */
  uintptr_t block_pc; /* where its block was allocated, 0 for other memory */
  uint64_t block_offset;
  uintptr_t block_calls[BLOCK_CALLS];
  uintptr_t local_pc;
  int64_t local_offset;
};

struct traced_monitor {
  uint32_t number; /* of property_instance */
  char property[PROPERTY_NAME];
  uint32_t values;
  struct traced_value value[PROPERTY_PARAMETERS];
  uintptr_t pc; /* of the event by which it came to be: in the image whose addresses these are */
};

struct traced_reading {
  uint64_t step;
  uint32_t thread;
  uint16_t monitor; /* index */
  bool violated;    /* by this event */
  char event[PROPERTY_NAME];
  char state[PROPERTY_NAME]; /* that it is in then */
};

struct monitor_trace {
  uint32_t monitors, readings;
  uint64_t left_out; /* readings */
  struct traced_monitor monitor[TRACED_MONITORS];
  struct traced_reading reading[TRACED_READINGS];
};

#endif
