/* SPDX-License-Identifier: Apache-2.0
 *
 * The variables that builds take their compiler options from, for `heddle check FILE.c`.
 */
#ifndef HEDDLE_CLI_FLAGS_H
#define HEDDLE_CLI_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

/* Puts CPPFLAGS, CFLAGS (CXXFLAGS when there is a C++ source) and LDFLAGS behind the compiler in HEDDLE_CC
 * (HEDDLE_CXX), where compile_sources finds them. False: no memory left. */
bool flags_to_compiler(char *const sources[], size_t n);

/* The sources, then the words of LDLIBS: libraries stand behind what needs them. A malloc'ed array of *count that
 * holds the words of LDLIBS, too. NULL: no memory left. */
char **sources_and_libraries(char *const sources[], size_t n, size_t *count);

#endif
