/* SPDX-License-Identifier: Apache-2.0
 *
 * Alternate stacks of signal handlers: what each thread gave to sigaltstack(), and the call of a handler there. The
 * kernel's own alternate stack is the runtime's (faults.c).
 */
#include "worlds/threads/system/alternate_stack.h"
#include "core/without_libc.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>

#define SMALLEST 2048 /* the kernel's limit; MINSIGSTKSZ of libc is larger and differs by processor */
/* What a handler of a few calls needs with the runtime's own frames on top. A smaller stack would overflow for reasons
 * that are none of the program's; there the handler stays where it is, and only says that it is not. */
#define ENOUGH 12288
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static struct {
  stack_t stack; /* ss_sp NULL: none */
  bool in_use;
} alternate[MAX_THREADS];
static bool changed;

/* switch.S */
void call_on_stack(void *top, void (*handler)(int, siginfo_t *, void *), int signal, siginfo_t *info, void *context);

void alternate_stacks_reset(void)
{
  if (changed)
    fill_bytes(alternate, 0, sizeof alternate);
  changed = false;
}

void signals_copy_thread(unsigned t, unsigned of)
{
  alternate[t] = alternate[of];
}

long change_alternate_stack(const stack_t *stack, stack_t *old)
{
  stack_t *mine = &alternate[self_index()].stack, before = *mine, wanted = stack ? *stack : (stack_t){0};
  bool in_use = alternate[self_index()].in_use && before.ss_sp;
  if (stack && in_use)
    return -EPERM;
  int mode = wanted.ss_flags & ~(int)SS_AUTODISARM;
  if (mode != 0 && mode != SS_ONSTACK && mode != SS_DISABLE)
    return -EINVAL;
  if (stack && !(wanted.ss_flags & SS_DISABLE) && wanted.ss_size < SMALLEST)
    return -ENOMEM;
  if (old) {
    *old = before.ss_sp ? before : (stack_t){.ss_flags = SS_DISABLE};
    old->ss_flags |= in_use ? SS_ONSTACK : 0;
  }
  changed |= stack != NULL;
  wanted.ss_flags &= (int)SS_AUTODISARM | SS_DISABLE;
  if (stack)
    *mine = wanted.ss_flags & SS_DISABLE ? (stack_t){0} : wanted;
  return 0;
}

void call_on_alternate_stack(const struct sigaction *action, int signal, siginfo_t *info, void *context)
{
  unsigned me = self_index();
  stack_t stack = alternate[me].stack;
  bool goes = action->sa_flags & SA_ONSTACK && stack.ss_sp && !alternate[me].in_use;
  if (!goes) {
    action->sa_sigaction(signal, info, context);
    return;
  }
  if (stack.ss_flags & (int)SS_AUTODISARM)
    alternate[me].stack = (stack_t){0};
  alternate[me].in_use = true;
  if (stack.ss_size >= ENOUGH) {
    snapshot_touch((uintptr_t)stack.ss_sp, stack.ss_size); /* no fault can be taken on a stack that cannot be written */
    uintptr_t top = (uintptr_t)stack.ss_sp + stack.ss_size;
    call_on_stack((void *)(top & ~UINT64_C(15)), action->sa_sigaction, signal, info, context);
  } else {
    action->sa_sigaction(signal, info, context);
  }
  alternate[me].in_use = false;
  if (stack.ss_flags & (int)SS_AUTODISARM)
    alternate[me].stack = stack;
}

void alternate_stack_left(void)
{
  alternate[self_index()].in_use = false;
}
