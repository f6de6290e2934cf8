/* SPDX-License-Identifier: Apache-2.0
 *
 * What a function is given and gives, by the types of its parameters and of its result: whether a call of it can be
 * left out without anybody missing a result, and a call as a person would write it.
 */
#ifndef HEDDLE_DEBUGINFO_CALL_SHAPES_H
#define HEDDLE_DEBUGINFO_CALL_SHAPES_H

#include "debuginfo/symbols.h"

#define SHAPE_ARGUMENTS 6 /* that are in general registers */

struct call_shape {
  uint8_t gives; /* enum call_gives (core/config.h) */
  uint8_t fills; /* registers with pointers to what it may write, a bit for each */
};

/* Of the function that has the address. Without debug information, nothing is known of what it gives and fills. */
struct call_shape symbols_call_shape(struct symbols *s, uintptr_t function);

/* "queue_push(&queue, 3)": with the arguments that a call had in registers; "…" for others. Cannot fail. */
void symbols_call_text(struct symbols *s, uintptr_t function, const uint64_t argument[SHAPE_ARGUMENTS], char *out,
                       size_t n);

#endif
