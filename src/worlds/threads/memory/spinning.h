/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that wait in a loop; see spinning.c.
 */
#ifndef HEDDLE_RUNTIME_SPINNING_H
#define HEDDLE_RUNTIME_SPINNING_H

#include "core/operation.h"
#include <stdbool.h>
#include <stdint.h>

#define SPINNING_EVERY 0xffff /* operations of a thread between two looks, less one: a mask */

/* The current thread made so many operations: watch it for a while. */
void spinning_look(void);
/* It took a step, so it does not spin unseen. */
void spinning_stepped(void);
/* It is about to access private memory. True: the access is to be a step. It spins, and what it waits for is shared
 * memory now; or (weary) it has run for long, and others should have a chance. */
bool spinning_access(uintptr_t addr, enum op_kind kind, uintptr_t pc, bool *weary);

/* A number for all that only the current thread can change, where it called us at pc: its registers, its stack, what it
 * wrote elsewhere, and what its step brings (hd_operand, which is used up). It means the same in all executions, as
 * long as no more memory is known to be shared. 0: not known. */
uint64_t local_state(uintptr_t pc);
extern uint64_t hd_operand;

#endif
