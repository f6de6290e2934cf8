/* SPDX-License-Identifier: Apache-2.0
 *
 * Impacted code points as addresses of a program: the map that its search is told (core/changed.h). */
#ifndef HEDDLE_CHANGE_IMPACT_MAP_H
#define HEDDLE_CHANGE_IMPACT_MAP_H

#include "change/impact.h"
#include "core/changed.h"

/* The map for the program, malloc'ed; root: the folder that the paths of the facts are below. NULL, with one line in
 * error. */
struct changed_map *impact_map(const struct impact *impact, const char *root, const char *program, char *error,
                               size_t error_size);

#endif
