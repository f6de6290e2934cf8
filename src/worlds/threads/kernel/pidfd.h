/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptors of processes; see pidfd.c.
 */
#ifndef HEDDLE_RUNTIME_PIDFD_H
#define HEDDLE_RUNTIME_PIDFD_H

#include <stdbool.h>
#include <stdint.h>

/* A new one, of the process: a number, or -errno. */
long pidfd_new(unsigned process, uint32_t flags, uintptr_t pc);
/* The process of such a descriptor; PROCESSES: it is none. */
unsigned pidfd_process(long fd);
/* Whether it is not to wait. */
bool pidfd_does_not_block(long fd);
/* Whoever has one of it hears that it is over. */
void pidfds_process_ended(unsigned process);

#endif
