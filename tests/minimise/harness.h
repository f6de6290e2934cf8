/* SPDX-License-Identifier: Apache-2.0
 *
 * What the subjects of heddle minimise share: blocks of memory that are never reused, so that a structure without
 * reclamation needs none.
 */
#ifndef TESTS_MINIMISE_HARNESS_H
#define TESTS_MINIMISE_HARNESS_H

#include <assert.h>
#include <heddle_stress.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* Zeroed; the end of the program is soon enough to free it. */
static inline void *take_block(size_t size)
{
  void *block = calloc(1, size);
  assert(block);
  return block;
}

#endif
