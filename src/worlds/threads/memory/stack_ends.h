/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of a function end when it returns, and those of a thread when it ends; see stack_ends.c.
 */
#ifndef HEDDLE_RUNTIME_STACK_ENDS_H
#define HEDDLE_RUNTIME_STACK_ENDS_H

#include "core/operation.h"
#include "worlds/threads/runtime.h"
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ends are followed: some thread has used the stack, or the thread-local memory, of another one. */
extern bool stacks_are_met;

void stacks_begin(void); /* an execution */

/* The current thread uses memory on a stack, or thread-local memory. Declares a bug if it is another's, and ended. */
void stack_touch(uintptr_t addr, size_t size, enum op_kind kind, uintptr_t pc);
#define STACK_OF_MAIN (UINT64_C(8) << 20)
static inline bool is_on_stacks(uintptr_t addr)
{
  return addr - STACKS_ADDRESS < MAX_THREADS * STACK_ROOM || hd_own.main_high - addr - 1 < STACK_OF_MAIN;
}

/* The current thread's innermost function returns at once; frame: of the hook that says so. */
void stack_frame_ends(const uintptr_t *frame);
/* The current thread jumps to where that was filled in (longjmp). */
void stack_is_left(const struct __jmp_buf_tag *buffer, uintptr_t pc);
/* The current thread has nothing more to do. */
void stack_thread_ends(void);

#endif
