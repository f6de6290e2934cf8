/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls about the process and its threads; see process_calls.c.
 */
#ifndef HEDDLE_RUNTIME_PROCESS_CALLS_H
#define HEDDLE_RUNTIME_PROCESS_CALLS_H

#include "worlds/threads/system/call.h"

/* True, with the result, if the call is one of those; and undoing what was done. */
bool process_call(const struct call *call, long *result);
void process_reset(void);

#endif
