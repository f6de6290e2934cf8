/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams of stdio as objects of the search; see stdio.c.
 */
#ifndef HEDDLE_RUNTIME_STREAMS_H
#define HEDDLE_RUNTIME_STREAMS_H

#include <stdint.h>
#include <stdio.h>

/* A call on a stream, from its place among the others to its end; nothing if file is NULL. */
struct stream_use {
  FILE *file;
  uintptr_t pc;
  uint64_t operations; /* that the thread had made when it began */
};

/* Ends with its scope, also when the thread is cancelled in it. */
#define STREAM_USE __attribute__((cleanup(stream_left), unused)) struct stream_use

/* The call begins: all that it announces comes before. */
struct stream_use stream_used_by(FILE *file, const char *function, uintptr_t pc);
#define stream_used(file, pc) stream_used_by(file, __func__, pc)
void stream_left(struct stream_use *use);
/* For functions that take no lock: two at once are a data race. They hold nothing. */
struct stream_use stream_used_unlocked(FILE *file, uintptr_t pc);

#endif
