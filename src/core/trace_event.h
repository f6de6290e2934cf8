/* SPDX-License-Identifier: Apache-2.0
 *
 * One event of a traced execution, as the observer trace leaves it and the story of a bug is made
 * from. */
#ifndef HEDDLE_CORE_TRACE_EVENT_H
#define HEDDLE_CORE_TRACE_EVENT_H

#include "core/bug.h"
#include <stdint.h>

/* What is remarkable about an event. */
enum trace_mark {
  TRACE_RACE = 1,      /* a data race was declared at it */
  TRACE_BLOCKED = 2,   /* left at the end: it cannot be performed now */
  TRACE_DEADLOCK = 4,  /* and never can, since no thread can go on */
  TRACE_MAPPED = 16,   /* its block is none of the heap's, but was mapped */
  TRACE_UNSHARED = 32, /* no other thread came to its memory: one of the last reads of its thread */
  TRACE_FRESH = 8      /* it writes to a stack where nothing was written yet: what was there before means nothing */
};

#define HEAP_FRESH 0xbe /* what memory is filled with when it is allocated */

/* One event of a traced execution. Heap addresses carry the place of their allocation. */
struct trace_event {
  uint64_t step;
  uint32_t thread;
  uint16_t op;
  uint8_t switched;  /* 1: first event after a switch; 2: and the switch was a preemption */
  uint8_t has_value; /* value is known (1, 2, 4, 8 byte accesses) */
  uint32_t length;
  int32_t result;   /* of calls: return value or errno */
  uintptr_t addr;   /* of memory with its space (key.h), so that two processes have none in common */
  uintptr_t second; /* address of the second object, likewise; channels: the stream that is sent to or received from */
  uintptr_t pc;
  uint64_t arg;    /* thread joined or created, choice made, ... */
  uint64_t value;  /* memory: value read, or value after a write; channels: where in the stream it begins */
  uint64_t before; /* memory: value before a write */
  uintptr_t block_pc;
  uint64_t block_offset, block_size;
  uintptr_t block_calls[BLOCK_CALLS]; /* as in struct bug_party */
  uintptr_t local_pc;                 /* memory on a stack: as in struct bug_party */
  int64_t local_offset;
  uint64_t operations; /* of this thread, this one included */
  uint32_t depth;
  uint16_t readers, writers; /* memory: other threads that stand right before an access of the same bytes */
  uint32_t marks;            /* a set of enum trace_mark */
  int32_t holder;            /* locks: the thread that held it when this was performed, -1 for none */
  uint64_t race_step;        /* of the other side of its race, 0 when that is not known */
  uint64_t waited_since;     /* the step at which the thread could not go on for the first time, 0: it always could */
  uint64_t held_since;       /* likewise, but only because a schedule or a property held it back */
  uint32_t handling;         /* the signal in whose handler the thread is, 0 for none */
  uint64_t woken_by;         /* the step that signalled it, or else that let it go on; 0 for none */
  uintptr_t stack[BUG_STACK];
  char text[48]; /* hd_event's name, a system call with its file, the file of a wait, an object of the system; cut */
};

#endif
