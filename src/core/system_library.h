/* SPDX-License-Identifier: Apache-2.0
 *
 * Libraries that need no hooks.
 */
#ifndef HEDDLE_CORE_SYSTEM_LIBRARY_H
#define HEDDLE_CORE_SYSTEM_LIBRARY_H

#include <stdbool.h>

/* Those of the C library, of the compilers (with UBSan, whose locks are around its own messages), of the test
 * frameworks: what they do to memory orders nothing that a program could rely on without a call that heddle sees. */
bool is_system_library(const char *path);

/* Those of them whose destructors do nothing that a program could notice. */
bool ends_quietly(const char *path);

/* The same for what the linker puts into a program itself: static libraries, and the files that begin and end it. */
bool is_system_object(const char *path);

#endif
