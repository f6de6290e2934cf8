/* SPDX-License-Identifier: Apache-2.0
 *
 * Alternate stacks of signal handlers: what each thread gave to sigaltstack(), and the call of a handler there. The
 * kernel's own alternate stack is the runtime's (faults.c).
 */
#include "worlds/threads/system/alternate_stack.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/thread/fiber.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <ucontext.h>

#define SMALLEST 2048 /* the kernel's limit; MINSIGSTKSZ of libc is larger and differs by processor */
/* What a handler needs with the few frames of the runtime's that come before a step, which is taken elsewhere: no more
 * than the kernel's own frame would take. A smaller stack would overflow for reasons that are none of the program's;
 * there the handler stays where it is, and only says that it is not. */
#define ENOUGH 4096
#define AMPLE 12288 /* for steps, too */
#define ASIDE 4096  /* below our own frame on the stack that is left meanwhile */
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static struct {
  stack_t stack; /* ss_sp NULL: none */
  bool in_use;
} alternate[MAX_THREADS];
static bool changed;

/* switch.S */
_Noreturn void enter_frame(void *frame, void (*handler)(int, siginfo_t *, void *), int signal, siginfo_t *info,
                           void *context);

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

/* What the thread has for now; it is in use from now on. */
static stack_t begin_use(unsigned me)
{
  stack_t stack = alternate[me].stack;
  if (stack.ss_flags & (int)SS_AUTODISARM)
    alternate[me].stack = (stack_t){0};
  alternate[me].in_use = true;
  return stack;
}

static void end_use(unsigned me, stack_t stack)
{
  alternate[me].in_use = false;
  if (stack.ss_flags & (int)SS_AUTODISARM)
    alternate[me].stack = stack;
}

static bool goes_there(const struct sigaction *action)
{
  unsigned me = self_index();
  return action->sa_flags & SA_ONSTACK && alternate[me].stack.ss_sp && !alternate[me].in_use;
}

/* Its upper end. No fault can be taken on a stack that cannot be written, so that is seen to now. */
static uintptr_t top_of(const stack_t *stack)
{
  snapshot_touch((uintptr_t)stack->ss_sp, stack->ss_size);
  return ((uintptr_t)stack->ss_sp + stack->ss_size) & ~UINT64_C(15);
}

void call_on_alternate_stack(const struct sigaction *action, int signal, siginfo_t *info, void *context)
{
  if (!goes_there(action)) {
    action->sa_sigaction(signal, info, context);
    return;
  }
  unsigned me = self_index();
  stack_t stack = begin_use(me);
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  self_thread()->steps_aside = stack.ss_size < AMPLE ? (here - ASIDE) & ~UINT64_C(15) : 0;
  if (stack.ss_size >= ENOUGH)
    call_on_stack((void *)top_of(&stack), action->sa_sigaction, signal, info, context);
  else
    action->sa_sigaction(signal, info, context);
  self_thread()->steps_aside = 0;
  end_use(me, stack);
}

/* ---- frames of the kernel's ---- */

/* What it puts on the stack of a handler; the state of floating point is above it, wherever it has room. */
struct kernel_frame {
  void *returns_to;
  struct {
    unsigned long flags;
    void *link;
    stack_t stack;
    mcontext_t machine;
    uint64_t mask;
  } context;
  siginfo_t info;
};

#define RED_ZONE 128
#define RUNTIMES (128u << 10) /* its stack for faults is no larger */
#define GUARD 4096u
#define EXTENDED_MAGIC 0x46505853 /* FP_XSTATE_MAGIC1 */

static size_t size_of_floats(const uint32_t *floats)
{
  return floats[464 / 4] == EXTENDED_MAGIC ? floats[468 / 4] : 512;
}

static void run_in_use(int signal, siginfo_t *info, void *context)
{
  unsigned me = self_index();
  stack_t stack = begin_use(me);
  call_handler(signal, info, context);
  end_use(me, stack);
}

bool enter_handler_of_fault(const struct sigaction *action, int signal, ucontext_t *context)
{
  const struct kernel_frame *now = (const struct kernel_frame *)((char *)context - sizeof(void *));
  const stack_t *stack = &alternate[self_index()].stack;
  uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
  bool goes = goes_there(action), on_runtimes = sp - (uintptr_t)now < RUNTIMES;
  if (on_runtimes || (goes && stack->ss_size < AMPLE))
    return true;
  if (!goes && sp - hd_self->stack_low < GUARD + AMPLE)
    return false;
  uintptr_t top = goes ? top_of(stack) : sp - RED_ZONE;
  size_t size = size_of_floats((const uint32_t *)now->context.machine.fpregs);
  void *floats = (void *)((top - size) & ~UINT64_C(63));
  uintptr_t at = (((uintptr_t)floats - sizeof *now) & ~UINT64_C(15)) - sizeof(void *);
  struct kernel_frame *moved = (struct kernel_frame *)at;
  copy_bytes(floats, now->context.machine.fpregs, size);
  copy_bytes(moved, now, sizeof *now);
  moved->context.machine.fpregs = floats;
  enter_frame(moved, goes ? run_in_use : call_handler, signal, &moved->info, &moved->context);
}

void alternate_stack_left(void)
{
  alternate[self_index()].in_use = false;
  self_thread()->steps_aside = 0;
}
