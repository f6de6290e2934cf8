/* SPDX-License-Identifier: Apache-2.0
 *
 * Another program in the place of this one: what goes with it, and how it finds itself again.
 */
#ifndef HEDDLE_RUNTIME_EXEC_H
#define HEDDLE_RUNTIME_EXEC_H

#include "worlds/threads/system/call.h"

/* The descriptors of heddle's mappings are kept for it, and what the dynamic linker was told to load. */
void exec_keep(int control_fd, int shadow_fd, const char *preload);

long process_exec(const struct call *call);

#endif
