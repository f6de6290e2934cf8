/* SPDX-License-Identifier: Apache-2.0
 *
 * What a process has of the kernel's own: descriptors, mappings, limits, folders. As long as it made no call since the
 * execution began that changes any of that, it is in this respect like all others that did not, so that one can become
 * the copy of another by its memory alone (process/slots.h).
 */
#ifndef HEDDLE_RUNTIME_EFFECTS_H
#define HEDDLE_RUNTIME_EFFECTS_H

#include "worlds/threads/runtime.h"

/* This process is not like others any more. */
static inline void effect_made(void)
{
  rt.process[hd_own.process].changed = true;
}

/* The runtime makes that call for itself. */
void effect_of_own_call(long number, const long arg[6]);
/* The program does. */
void effect_of_call(long number);

#endif
