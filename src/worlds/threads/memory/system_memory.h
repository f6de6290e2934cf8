/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the system: what all processes of the tested program share. It lies in the control mapping; variables, for
 * which that would be inconvenient, are in a section of their own that is mapped over itself from there. The runtime is
 * at one address in all programs, so that pointers within it hold everywhere.
 */
#ifndef HEDDLE_RUNTIME_SYSTEM_MEMORY_H
#define HEDDLE_RUNTIME_SYSTEM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* A variable of the system's, zero at first. Without a place in the file, which only gcc can be talked into. */
#ifdef __clang__
#define SYSTEM __attribute__((section("heddle_system")))
#else
#define SYSTEM __attribute__((section("heddle_system,\"aw\",@nobits#")))
#endif

/* Zeroed memory, never put back or freed. */
void *system_memory(size_t size);

/* From the beginning again: the mapping is a new one (hd_explore). */
void system_memory_begin(void);
/* And comes from there; -1: from no file. */
void system_memory_keep(int control_fd);

/* Maps the variables, before they are used; in the first process they are zero. False: it cannot be done. */
bool system_memory_boot(int control_fd, bool first);
/* The same for a process that shares nothing with those of the program (model/rehearsal.c), and the whole mapping. */
bool system_memory_is_own(void);

#endif
