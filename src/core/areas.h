/* SPDX-License-Identifier: Apache-2.0
 *
 * What lies where in the mapping that a tested process shares with the command line: the control block, then areas of
 * bytes, one behind the other. All of it is sparse.
 */
#ifndef HEDDLE_CORE_AREAS_H
#define HEDDLE_CORE_AREAS_H

#include "core/address_name.h"
#include "core/job.h"
#include <stdint.h>

#define IMAGE_MAPS_MOST (UINT64_C(1) << 20)
#define CONTROL_TRACE_MAX 1000000 /* events; later ones are counted, not kept */
/* The areas behind the block, in this order.  X(constant, bytes) */
#define HD_CONTROL_AREAS(X)                                                                                            \
  X(BLOCK, UINT64_C(1) << 23) /* struct control */                                                                     \
  X(MAPS, UINT64_C(1) << 22)  /* the text of the process's memory map, at the start of its first execution */          \
  X(IMAGE_MAPS, IMAGES *IMAGE_MAPS_MOST) /* the same of other programs that its processes went on as, by number */     \
  X(POOL, UINT64_C(1) << 32)             /* schedules of found bugs */                                                 \
  X(TRACE, CONTROL_TRACE_MAX *UINT64_C(512))                                                                           \
  X(OUTPUT, UINT64_C(1) << 26)                                                                                         \
  X(EVENTS, UINT64_C(1) << 30)   /* struct event_ring (event_ring.h) */                                                \
  X(COVERAGE, UINT64_C(1) << 30) /* struct coverage */                                                                 \
  X(JOB, UINT64_C(1) << 33)      /* its parts (job.h) */                                                               \
  X(ANSWER, UINT64_C(1) << 35)   /* likewise */                                                                        \
  X(ENGINE, UINT64_C(1) << 36)   /* the engine's own; of no concern to the command line */                             \
  X(SYSTEM, UINT64_C(1) << 36)   /* what the processes of the tested program share, likewise */

enum {
#define X(id, bytes) CONTROL_##id##_OFFSET, CONTROL_##id##_LAST = CONTROL_##id##_OFFSET + (bytes)-1,
  HD_CONTROL_AREAS(X)
#undef X
      CONTROL_MAPPING_SIZE /* sparse */
};

/* What the command line maps of it. */
#define CONTROL_SEEN_SIZE ((uint64_t)CONTROL_SYSTEM_OFFSET)

#define CONTROL_SIZE_OF(area) ((uint64_t)CONTROL_##area##_LAST + 1 - (uint64_t)CONTROL_##area##_OFFSET)

enum {
  JOB_BEFORE = CONTROL_JOB_OFFSET - 1,
#define X(id, most) JOB_##id##_OFFSET, JOB_##id##_LAST = JOB_##id##_OFFSET + (most)-1,
  HD_JOB_PARTS(X)
#undef X
      ANSWER_BEFORE = CONTROL_ANSWER_OFFSET - 1,
#define X(id, most) ANSWER_##id##_OFFSET, ANSWER_##id##_LAST = ANSWER_##id##_OFFSET + (most)-1,
  HD_ANSWER_PARTS(X)
#undef X
};

/* The shadow mapping: one word for every eight bytes of the program's address space, folded to 44 bits. */
#define SHADOW_MAPPING_SIZE (UINT64_C(1) << 44)
#define SHADOW_FILE_SIZE (SHADOW_MAPPING_SIZE * PROCESSES) /* each process of the program has its own */
#define PROCESSES 120                                      /* fewer than there are spaces (footprint.h) */

#define CONTROL_AT(control, offset) ((void *)((char *)(control) + (offset)))

#endif
