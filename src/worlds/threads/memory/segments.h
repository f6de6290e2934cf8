/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory that has a name or an id; see the source.
 */
#ifndef HEDDLE_RUNTIME_SEGMENTS_H
#define HEDDLE_RUNTIME_SEGMENTS_H

#include "worlds/threads/system/call.h"

/* What is behind the descriptor was mapped there. True: it is such a segment, and this is the only place. */
bool segment_mapped(long fd, uintptr_t at, size_t size);
void segment_unmapped(uintptr_t at);
bool in_segment(uintptr_t addr);
/* A call about descriptors: what it does to the bytes of a segment, memory does not show. */
void segment_noted(const struct call *call);
void segments_reset(void);

#endif
