/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls through pointers, and of virtual methods, by what they may call.
 */
#ifndef HEDDLE_LINT_POINTER_CALLS_H
#define HEDDLE_LINT_POINTER_CALLS_H

#include "lint/whole_program.h"

/* Lists them, when calls and taken addresses are known and in their orders. False: no memory left. */
bool pointer_calls_list(struct whole_program *p);

#endif
