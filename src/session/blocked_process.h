/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a process that runs free can go on: asked of the kernel, through /proc. Nothing is changed in the
 * process. */
#ifndef HEDDLE_SESSION_BLOCKED_PROCESS_H
#define HEDDLE_SESSION_BLOCKED_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* True when each thread of the process waits on a futex without a timeout: for a lock, a condition, the end of a
 * thread. Threads are looked at one after the other; what was seen of them together holds only if *progress, which
 * counts how often and how long they ran, is still the same at a second look. */
bool process_is_blocked(pid_t pid, uint64_t *progress);

#endif
