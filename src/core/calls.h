/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of system calls, for messages.
 */
#ifndef HEDDLE_CORE_CALLS_H
#define HEDDLE_CORE_CALLS_H

/* "unlink", or NULL for a call that is not in the table. */
const char *system_call_name(long number);

#endif
