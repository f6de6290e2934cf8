/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of a signal handler that are not async-signal-safe, see the source.
 */
#ifndef HEDDLE_RUNTIME_UNSAFE_CALLS_H
#define HEDDLE_RUNTIME_UNSAFE_CALLS_H

#include "worlds/threads/runtime.h"

void unsafe_call_slowly(enum unsafe_family family, uintptr_t object, const char *name, uintptr_t pc);

/* The program is about to make a call of that family: on the heap, or on that stream. */
static inline void unsafe_call(enum unsafe_family family, uintptr_t object, const char *name, uintptr_t pc)
{
  if (unlikely(hd_own.handled_signals) && hd_self)
    unsafe_call_slowly(family, object, name, pc);
}

/* A signal is about to wait for the thread; the running one sends it. in_wait: the thread cannot be in such a call. */
void unsafe_calls_note_sender(unsigned receiver, bool in_wait);
/* The running thread takes one that waited for whoever would. */
void unsafe_calls_note_own(void);
/* What those knew of the running thread who sent what it takes now. */
uint64_t unsafe_calls_known(void);

#endif
