/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of signals; see property_signals.h. In place of a handler the kernel gets a function of ours, which notes
 * the signal and calls it. One that is left by siglongjmp() is seen to be left by where the stack is.
 */
#include "enforce/property_signals.h"
#include "enforce/order_real.h"
#include "enforce/order_threads.h"
#include <signal.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

typedef void info_handler(int, siginfo_t *, void *);

/* As the program gave them. */
static info_handler *handlers[NSIG];
static bool takes_info[NSIG];

static __thread struct {
  int number;
  bool elsewhere; /* on a stack for signals */
  uintptr_t frame;
  uint64_t left_out; /* properties */
} handled __attribute__((tls_model("initial-exec")));

static bool is_on_signal_stack(void)
{
  stack_t stack;
  return sigaltstack(NULL, &stack) == 0 && stack.ss_flags & SS_ONSTACK;
}

int property_signal(void)
{
  if (!handled.number)
    return 0;
  const bool elsewhere = is_on_signal_stack();
  if (elsewhere != handled.elsewhere || (!elsewhere && (uintptr_t)__builtin_frame_address(0) > handled.frame))
    handled.number = 0;
  return handled.number;
}

void property_signal_leave_out(uint32_t property)
{
  handled.left_out |= UINT64_C(1) << property;
}

bool property_signal_leaves_out(uint32_t property)
{
  return handled.left_out >> property & 1;
}

static void handle(int number, siginfo_t *info, void *context)
{
  const __typeof__(handled) before = handled;
  info_handler *handler = __atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE);
  handled.number = number;
  handled.left_out = 0;
  handled.elsewhere = is_on_signal_stack();
  handled.frame = (uintptr_t)__builtin_frame_address(0);
  handler(number, info, context); /* more arguments than some take */
  handled = before;
}

EXPORTED int sigaction(int number, const struct sigaction *restrict new, struct sigaction *restrict old)
{
  if (!order_watches() || number <= 0 || number >= NSIG)
    return REAL(sigaction)(number, new, old);
  info_handler *before = __atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE);
  const bool took_info = __atomic_load_n(&takes_info[number], __ATOMIC_RELAXED);
  struct sigaction ours, found;
  const bool wraps = new &&new->sa_handler != SIG_DFL &&new->sa_handler != SIG_IGN;
  if (wraps) {
    ours = *new;
    ours.sa_sigaction = handle;
    ours.sa_flags |= SA_SIGINFO;
    __atomic_store_n(&takes_info[number], (new->sa_flags &SA_SIGINFO) != 0, __ATOMIC_RELAXED);
    __atomic_store_n(&handlers[number], new->sa_sigaction, __ATOMIC_RELEASE);
  }
  const int error = REAL(sigaction)(number, wraps ? &ours : new, &found);
  if (error)
    __atomic_store_n(&handlers[number], before, __ATOMIC_RELEASE);
  if (!error && found.sa_sigaction == handle) {
    found.sa_sigaction = before;
    found.sa_flags &= took_info ? ~0 : ~SA_SIGINFO;
  }
  if (!error && old)
    *old = found;
  return error;
}

/* As the C library's, which does not call the function above. */
EXPORTED sighandler_t signal(int number, sighandler_t handler)
{
  struct sigaction new = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  if (!order_watches())
    return REAL(signal)(number, handler);
  sigemptyset(&new.sa_mask);
  sigaddset(&new.sa_mask, number);
  return sigaction(number, &new, &old) ? SIG_ERR : old.sa_handler;
}
