/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_FIBER_H
#define HEDDLE_RUNTIME_FIBER_H

#include "worlds/threads/runtime.h"
#include <asm/prctl.h>
#include <immintrin.h>
#include <sys/syscall.h>

size_t fiber_stack_size(void);
/* An execution finds stacks as zeros: where it matters what a thread holds by itself, all of them, since what earlier
 * executions left between its frames would count; else the part that every program uses, but for main's. */
void stacks_scrub(void);

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
