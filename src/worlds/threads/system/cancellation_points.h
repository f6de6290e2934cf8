/* SPDX-License-Identifier: Apache-2.0
 *
 * Which system calls are cancellation points, see the source.
 */
#ifndef HEDDLE_RUNTIME_CANCELLATION_POINTS_H
#define HEDDLE_RUNTIME_CANCELLATION_POINTS_H

#include "worlds/threads/system/call.h"

/* Before the program's first call. */
void cancellation_points_boot(void);
/* Whether a pending cancellation is acted on at this call, which the instruction there makes; 0: one of these
 * functions, by itself. */
bool is_cancellation_point(const struct call *call, uintptr_t instruction);

#endif
