/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the C++ library of which nothing need be seen.
 */
#ifndef HEDDLE_RUNTIME_CXX_CALLS_H
#define HEDDLE_RUNTIME_CXX_CALLS_H

#include <stdbool.h>

/* By its mangled name. */
bool cxx_call_is_harmless(const char *name);

#endif
