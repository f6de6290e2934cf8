/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program asks for when it creates a thread: see attributes.c.
 */
#ifndef HEDDLE_RUNTIME_ATTRIBUTES_H
#define HEDDLE_RUNTIME_ATTRIBUTES_H

#include "worlds/threads/runtime.h"

struct attributes {
  bool detached;
  char *stack; /* of the program; NULL: none */
  size_t stack_size, guard_size;
  bool has_mask, has_processors, has_scheduling;
  uint64_t mask;
  cpu_set_t processors;
  struct scheduling scheduling;
};

/* From what was given to pthread_create(); NULL: the defaults. 0, or what pthread_create() is to return. */
int attributes_read(const pthread_attr_t *attr, struct attributes *out);
/* The new thread has them. Before anything of it is in place. */
void attributes_give(unsigned thread, const struct attributes *attributes);

#endif
