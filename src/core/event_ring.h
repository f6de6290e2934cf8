/* SPDX-License-Identifier: Apache-2.0
 *
 * A run being recorded: the tested process puts events and what they speak of into a ring in the control mapping
 * (observer/event_recorder.c), the command line takes them out and writes them down (cli/find/trace_recorder.c). One
 * writer, one reader.
 */
#ifndef HEDDLE_CORE_EVENT_RING_H
#define HEDDLE_CORE_EVENT_RING_H

#include "core/naming.h"
#include "core/operation.h"
#include <stdint.h>

/* Records that are not events. Definitions come before the events that need them. */
enum raw_kind {
  RAW_RESTART = OP_COUNT, /* forget all so far: the run is made again */
  RAW_THREAD,             /* object: its number, other: its parent's + 1, pc: where it was created; an origin follows */
  RAW_OBJECT, /* object: its number, length: type, other: enum object_kind, addr; pc, value, cause: block_pc,
                 block_offset, block_size of heap memory; an origin follows */
  RAW_ORIGIN, /* pc: fixed, addr: inside, length: words of the index, other: of the chain; so many of the next follow */
  RAW_WORD,   /* pc, place: a site; cause: count */
  RAW_MEMORY, /* addr, length: memory that is used for the first time; pc, value, cause as of RAW_OBJECT */
  RAW_STACK,  /* object: its number, length: depth; so many RAW_WORD follow */
  RAW_END     /* the run is over */
};

struct raw_event {
  uint16_t op; /* enum op_kind, or enum raw_kind */
  uint8_t order, flags;
  uint32_t thread;
  uint32_t object, second;
  uint32_t length;
  uint32_t other;
  uint32_t stack;
  uint32_t image;              /* RAW_OBJECT, RAW_MEMORY: the program in whose memory it is (address_name.h) */
  uint64_t pc, place;          /* and the same place as a number that holds in every process */
  uint64_t addr, value, cause; /* cause of an event with EVENT_LATE: how many others were before it */
};

#define RING_EVENTS (1u << 19)

struct event_ring {
  volatile uint64_t written, read; /* events so far */
  struct raw_event slot[RING_EVENTS];
};

#endif
