/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of resources: heddle takes as many descriptors as it needs, and the tested program gets back what the user had
 * set.
 */
#ifndef HEDDLE_SESSION_LIMITS_H
#define HEDDLE_SESSION_LIMITS_H

/* Raises the soft limit of open files as far as heddle may need it: four for each worker. */
void limits_raise(void);

/* Runs it where a small limit of the stack (ulimit -s) does not matter. Its result. */
int limits_with_stack(int (*run)(int, char **), int argc, char **argv);

/* Undoes the first, in a child. Makes one system call. */
void limits_restore(void);

#endif
