/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions as programs know them: where nobody uses its result, heddle cc lets another function be called
 * (assemble/insert_hooks.c).
 */
#ifndef HEDDLE_CORE_KNOWN_AS_H
#define HEDDLE_CORE_KNOWN_AS_H

#include <string.h>

static inline const char *known_as(const char *function)
{
  return strcmp(function, "__heddle_barrier_wait") ? function : "pthread_barrier_wait";
}

#endif
