/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams of stdio as objects of the search; see stdio.c.
 */
#ifndef HEDDLE_RUNTIME_STREAMS_H
#define HEDDLE_RUNTIME_STREAMS_H

#include <stdint.h>
#include <stdio.h>

/* A call of the program on the stream: it takes its place among the others. */
void stream_used(FILE *file, uintptr_t pc);
/* The same for functions that take no lock: two at once are a data race. */
void stream_used_unlocked(FILE *file, uintptr_t pc);

#endif
