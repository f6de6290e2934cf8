/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of addresses that mean the same in every process of the program, wherever the system put its parts. Addresses
 * that outlive the process (units, checkpoints, shared locations) are told by name.
 *
 * Most of what a program works on is at the same address in every process anyway: the heap, the stacks of threads, what
 * the program maps itself. The others are so far from an anchor: modules with their data, the stack of the initial
 * thread (and, above, its arguments and their texts), its thread-local storage. Within a zone, names are as far from
 * each other as addresses are, so what overlaps or is the same does so by name. An address of no known zone is its own
 * name.
 */
#ifndef HEDDLE_RUNTIME_NAMES_H
#define HEDDLE_RUNTIME_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* main_sp: the stack pointer before main, the same distance from main's frame in every process. */
void names_boot(uintptr_t main_sp, char *const *arguments, size_t stack_bytes);

/* A number for where everything is: two processes with the same one have the same address for every name. */
uint64_t names_layout(void);

uint64_t name_of(uintptr_t addr);
uintptr_t address_of(uint64_t name);

#endif
