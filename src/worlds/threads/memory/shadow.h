/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the shadow of memory (memory.c) is mapped from. Each process has its own, at the same address, kept from
 * execution to execution; the shadow of memory that processes share is one.
 */
#ifndef HEDDLE_RUNTIME_SHADOW_H
#define HEDDLE_RUNTIME_SHADOW_H

#include <stdbool.h>

/* The file has room for all processes. False: it cannot be mapped. */
bool shadow_boot(int fd);
/* This process is that one from now on. */
void shadow_of_process(unsigned process);
/* Nothing is known of any memory. */
void shadow_clear(void);

#endif
