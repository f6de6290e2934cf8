/* SPDX-License-Identifier: Apache-2.0
 *
 * What heddle needs of the system it runs on, tried out one by one: `heddle doctor`. Containers, limits and odd
 * machines forbid some of it; a start that failed then says which, and what would help.
 */
#ifndef HEDDLE_CLI_DOCTOR_H
#define HEDDLE_CLI_DOCTOR_H

#include <stdbool.h>

/* After a start that failed: tells of every facility that is missing and that no program can be run without, with its
 * remedy. Prints nothing if none is. */
void doctor_explain(void);

/* Whether programs can be traced, as a debugger does. False: an error was printed. */
bool doctor_can_trace(void);

#endif
