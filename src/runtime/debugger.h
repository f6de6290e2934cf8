/* SPDX-License-Identifier: Apache-2.0
 *
 * Standing still for a debugger, in a traced replay that it started (cli/debugger.h). Only called with
 * control->debugger.attached.
 */
#ifndef HEDDLE_RUNTIME_DEBUGGER_H
#define HEDDLE_RUNTIME_DEBUGGER_H

#include "core/control.h"
#include <stdbool.h>
#include <stdint.h>

/* The execution is about to begin. */
void debugger_begin(void);
/* The current thread is about to perform a recorded step; switched: the one before was of another thread. */
void debugger_step(uint64_t step, bool switched);
/* Tell the debugger, and go on when it says so. */
void debugger_stand(enum debugger_reason reason);

#endif
