/* SPDX-License-Identifier: Apache-2.0
 *
 * Deadlocks of a program whose properties are enforced: a thread of ours looks now and then whether anybody can go on.
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_STANDSTILL_H
#define HEDDLE_ENFORCE_PROPERTY_STANDSTILL_H

/* Before main, and in a child after fork(). */
void standstill_watch(void);

#endif
