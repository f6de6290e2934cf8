/* SPDX-License-Identifier: Apache-2.0
 *
 * From specifications to what a tested process reads (core/property.h). Whoever compiles says which functions there
 * are: those of the program and of its libraries whose calls can be watched.
 */
#ifndef HEDDLE_LANGUAGE_PROPERTY_COMPILE_H
#define HEDDLE_LANGUAGE_PROPERTY_COMPILE_H

#include "language/property_spec.h"

/* Tells of each pattern of call() in the text: for whoever looks for the functions. False after an error. */
typedef void property_pattern(void *context, const char *pattern, bool after);
bool property_patterns(const char *text, property_pattern *each, void *context, struct language_error *error);

/* All specifications of the text, behind those that are in the set. Functions are numbered from 1, in the order of
 * their names. An event that none of them fits is an error if they must be there, and never happens otherwise. False
 * with an error. */
bool property_compile(const char *text, const char *const *functions, uint32_t count, bool must_be_there,
                      struct property_set *set, struct language_error *error);

/* The monitor of one specification alone. False with a sentence in error. */
bool property_compile_monitor(const struct spec *s, struct property_set *set, struct property_monitor *monitor,
                              char *error, size_t size);

#endif
