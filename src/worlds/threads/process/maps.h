/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_MAPS_H
#define HEDDLE_RUNTIME_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
  uintptr_t start, end;
  bool writable, shared, stack; /* stack: the initial thread's */
};

/* The process's mappings, in ascending order; how many, at most `max`. Also copies the text to the control block. */
size_t maps_read(struct mapping *out, size_t max);

#endif
