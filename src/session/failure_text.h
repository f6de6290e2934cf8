/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for a process that stands still or died, from what it left in the control block.
 */
#ifndef HEDDLE_SESSION_FAILURE_TEXT_H
#define HEDDLE_SESSION_FAILURE_TEXT_H

#include "core/control.h"
#include "session/target.h"
#include <stddef.h>
#include <sys/types.h>

/* One line about a process that is stuck in an execution and still alive: which thread, where, in what, what to do. */
void describe_stuck(const struct target *target, const struct control *control, pid_t pid, double grace, char *out,
                    size_t n);

/* The same for one that was only asked where it is: "thread T1 stands at queue.c:12, in read()". */
void describe_standing(const struct target *target, const struct control *control, pid_t pid, char *out, size_t n);

/* "killed by SIGKILL (Killed)", "ended with status 3". */
void describe_end(int wait_status, char *out, size_t n);

#endif
