/* SPDX-License-Identifier: Apache-2.0
 *
 * The places of a program's own code that can be scheduling points: calls of synchronisation functions and, in code
 * built with heddle cc, memory accesses. Found in the machine code, whether they are ever executed or
 * not. */
#ifndef HEDDLE_TRACE_CALL_SITES_H
#define HEDDLE_TRACE_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_site {
  uint64_t offset; /* return address, as the file has it (symbols_module_offset) */
  bool access;     /* of memory, else a call */
};

/* Sorted by offset, malloc'ed; NULL with *count 0 when there are none, or the file cannot be read. */
struct call_site *call_sites(const char *program, size_t *count);

#endif
