/* SPDX-License-Identifier: Apache-2.0
 *
 * What is run before each execution, to put back what the program changes outside of itself (--init).
 */
#ifndef HEDDLE_SESSION_INIT_COMMAND_H
#define HEDDLE_SESSION_INIT_COMMAND_H

#include "session/target.h"

/* Runs it to its end. 0, or a status of waitpid() that says what went wrong. */
int init_command_run(const struct target *target);

#endif
