/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of a program that runs freely, as events of its properties: of its own functions and of libraries, from their
 * begin to their return, and of free() and its like, after which an address is another object's.
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_CALLS_H
#define HEDDLE_ENFORCE_PROPERTY_CALLS_H

#include "core/property.h"
#include <stddef.h>

/* A function whose calls are watched, by its number from 1. */
struct called_function {
  const char *name;
  unsigned char *code; /* where it begins, or where it has room for a call; NULL: it is a library's */
};

/* Before main, while there is one thread. False with one line in error. */
bool property_calls_begin(const struct property_set *set, const struct called_function *functions, uint32_t count,
                          char *error, size_t size);
/* Whether a function is the program's own, and has room for a call. */
bool property_call_is_own(unsigned char *code);
/* From now on sleeps end at once: what they were for is said by properties. */
void property_calls_without_sleeps(void);
bool property_leaves_out_sleeps(void);
/* The thread ends: calls that it is still in have ended, too. */
void property_calls_end(void);

#endif
