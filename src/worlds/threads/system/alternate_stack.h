/* SPDX-License-Identifier: Apache-2.0
 *
 * Alternate stacks of signal handlers, see the source.
 */
#ifndef HEDDLE_RUNTIME_ALTERNATE_STACK_H
#define HEDDLE_RUNTIME_ALTERNATE_STACK_H

#include <signal.h>

void alternate_stacks_reset(void);

/* sigaltstack(): 0 or -errno. */
long change_alternate_stack(const stack_t *stack, stack_t *old);
/* Calls the handler, on the alternate stack of the running thread if the action wants that and there is one. */
void call_on_alternate_stack(const struct sigaction *action, int signal, siginfo_t *info, void *context);
/* The handler was left by a jump. */
void alternate_stack_left(void);

#endif
