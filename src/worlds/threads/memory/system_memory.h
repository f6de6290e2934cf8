/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the system: what all processes of the tested program share. It lies in the control mapping, or, where
 * variables are easier to use, in pages of the runtime's own data that are mapped over themselves from there; the
 * runtime is at one address in all programs, so that pointers within it hold everywhere.
 */
#ifndef HEDDLE_RUNTIME_SYSTEM_MEMORY_H
#define HEDDLE_RUNTIME_SYSTEM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* A range of whole pages: of a variable whose type is declared SHARED_PAGES (runtime.h). */
struct shared_range {
  void *start;
  size_t size;
};

/* The variable, of such a type, is the system's. */
#define SHARED(variable)                                                                                               \
  __attribute__((section("heddle_shared"), used)) static const struct shared_range variable##_range = {               \
      &(variable), sizeof(variable)}

/* Zeroed memory, never put back or freed. */
void *system_memory(size_t size);

/* From the beginning again: the mapping is a new one (hd_explore). */
void system_memory_begin(void);

/* Maps the variables, before they are used; the first process leaves in them what it has. False: it cannot be done. */
bool system_memory_boot(int control_fd, bool first);

#endif
