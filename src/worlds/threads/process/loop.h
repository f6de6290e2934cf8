/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_LOOP_H
#define HEDDLE_RUNTIME_LOOP_H

#include <stdbool.h>

/* Of the world of threads (core/world.h). */
void execution_begin(void *self);
void threads_go_on(void *self, unsigned task);
void back_to_loop(void *self);

/* Fork mode: whether this process only waits for the one that executes, and passing a signal on to that. */
bool waiting_for_child(void);
void forward_signal_to_child(int signal);

/* End it, whatever the control block says is next. */
_Noreturn void leave_process(void);
/* End this process; the command line starts it again with what control.wish says. */
_Noreturn void restart(void);

#endif
