/* SPDX-License-Identifier: Apache-2.0
 *
 * Alternate stacks of signal handlers, see the source.
 */
#ifndef HEDDLE_RUNTIME_ALTERNATE_STACK_H
#define HEDDLE_RUNTIME_ALTERNATE_STACK_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

void alternate_stacks_reset(void);

/* sigaltstack(): 0 or -errno. */
long change_alternate_stack(const stack_t *stack, stack_t *old);
/* Calls the handler, on the alternate stack of the running thread if the action wants that and there is one. */
void call_on_alternate_stack(const struct sigaction *action, int signal, siginfo_t *info, void *context);
/* Enters the program's handler of a fault in the kernel's frame, so that it may change what it returns to. That is on
 * the runtime's stack, which others need meanwhile: it is moved to where it would be without us. Returns true if it is
 * to run where it is, since there is little room or we are there for the second time; false if there is no stack for
 * it. */
bool enter_handler_of_fault(const struct sigaction *action, int signal, ucontext_t *context);
/* The handler was left by a jump. */
void alternate_stack_left(void);

#endif
