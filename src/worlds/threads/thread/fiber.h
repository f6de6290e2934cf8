/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_FIBER_H
#define HEDDLE_RUNTIME_FIBER_H

#include "worlds/threads/runtime.h"
#include <asm/prctl.h>
#include <immintrin.h>
#include <signal.h>
#include <sys/syscall.h>

size_t fiber_stack_size(void);
/* Where it runs from now on; NULL: on the stack it was borrowed with. */
void fiber_settle(struct fiber *fiber, char *low, size_t size);
/* The kernel writes to the rseq area of a thread behind our back; nobody needs it here. */
void unregister_rseq(void);
/* An execution finds stacks as zeros: where it matters what a thread holds by itself, all of them, since what earlier
 * executions left between its frames would count; else the part that every program uses, but for main's. */
void stacks_scrub(void);

/* A place to come back to, with all that a call must leave as it was (switch.S). */
struct context {
  uintptr_t rbx, rbp, r12, r13, r14, r15, sp, pc;
  uint32_t mxcsr;
  uint16_t x87;
};
/* False; true when somebody resumes it, in this process or in a copy of it. */
bool capture_context(struct context *context) __attribute__((returns_twice));
_Noreturn void resume_context(const struct context *context);
/* Calls it there, with these arguments. */
void call_on_stack(void *top, void (*function)(int, siginfo_t *, void *), int a, siginfo_t *b, void *c);
/* Calls it there; it must not return. */
_Noreturn void run_on_stack(void *top, void (*function)(void));

static inline uintptr_t tls_base(void)
{
  return (uintptr_t)__builtin_thread_pointer();
}

/* By one instruction where processor and kernel allow it, else by a system call. */
static inline void set_tls_base(uintptr_t base)
{
  if (likely(hd_own.fsgsbase))
    _writefsbase_u64(base);
  else
    sys(SYS_arch_prctl, ARCH_SET_FS, base);
}

#endif
