/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the shadow of memory (memory.c) is mapped from. Each process has its own, at the same address, kept from
 * execution to execution; the shadow of memory that processes share is one.
 */
#ifndef HEDDLE_RUNTIME_SHADOW_H
#define HEDDLE_RUNTIME_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* The file has room for all processes. False: it cannot be mapped. */
bool shadow_boot(int fd);
/* It is mapped from there already, by a program that explores itself; -1: from no file. */
void shadow_keep(int fd);
/* This process is that one from now on. */
void shadow_of_process(unsigned process);
/* This process shares it with nobody from now on. False: it cannot be mapped. */
bool shadow_is_own(void);
/* What a process is a copy of: the process and the thread that forked it, the generation of its shadow then, and
 * whether it had other threads, whose writes may have come before the fork or not. */
struct origin_of_copy {
  unsigned process, thread;
  uint32_t generation;
  bool had_others;
};
void shadow_of_parent(const struct origin_of_copy *from);
/* This process has touched memory for the first time that it may have from its parent, eight bytes: to the parent's
 * threads that is as if the one that forked it had read it then. */
void shadow_inherited(uintptr_t granule);

/* A location as workers tell each other of it, by the name of its address and the process that has it; and one that
 * another worker has told. */
uint64_t shadow_location_name(uintptr_t granule, unsigned process);
void shadow_learn(uint64_t location);

/* Nothing is known of any memory. */
void shadow_clear(void);

#endif
