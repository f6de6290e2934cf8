/* SPDX-License-Identifier: Apache-2.0
 *
 * Which functions of a program call some others: by their machine code, whether they are ever executed or not. Calls by
 * pointers, and from other files, are not seen.
 */
#ifndef HEDDLE_DEBUGINFO_CALLERS_H
#define HEDDLE_DEBUGINFO_CALLERS_H

#include <stddef.h>
#include <stdint.h>

/* Addresses as the file has them. */
struct code_range {
  uint64_t low, high; /* not included */
};

/* The functions with a call of one of these, each by its first byte. malloc'ed; NULL with *count 0: there are none, or
 * the file cannot be read. */
struct code_range *callers_of(const char *program, const uint64_t *function, size_t functions, size_t *count);

#endif
