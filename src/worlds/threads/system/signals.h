/* SPDX-License-Identifier: Apache-2.0
 *
 * The program's own signals (signals.c), and where a thread is (faults.c).
 */
#ifndef HEDDLE_RUNTIME_SIGNALS_H
#define HEDDLE_RUNTIME_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Return addresses of the running thread outside the runtime, innermost first; how many. */
unsigned unwind_stack(uintptr_t *pc, unsigned max);
/* The innermost of them in the program itself, not in a library; else the other one, or the innermost of all. */
uintptr_t place_in_program(uintptr_t otherwise);
/* The same, with how many functions of libraries it is away. */
uintptr_t place_of_call(uintptr_t otherwise, unsigned *depth);
/* Whether the address is in libheddle.so's code. */
bool in_runtime(uintptr_t pc);
/* Whether it is in the dynamic linker's. */
bool in_linker(uintptr_t pc);
/* Whether it is a variable of static storage, in whatever module. */
bool in_static_data(uintptr_t addr);
/* Whether it is in the tested program itself or a library of its own, not in the C or C++ library. */
bool in_program(uintptr_t pc);

/* The SIGSYS handler (filter.c). */
void on_system_call(int signal, siginfo_t *info, void *context);
/* The number of the system call performed for the program right now, -1 for none. */
long system_call_under_way(void);

#define SIGNALS 65
/* As receivers, beside threads: a process, that is whichever of its threads does not block it, and this one. */
#define TO_PROCESS(process) (-1 - (int)(process))
#define WHOLE_PROCESS TO_PROCESS(hd_own.process)
#define SIGNAL_BIT(signal) (UINT64_C(1) << ((signal)-1))

/* Whether the program has a handler for it; whether the running thread would take it, not block it. */
bool has_handler(int signal);
const struct sigaction *handler_of(int signal);
bool signal_is_taken(int signal);
/* Whether it would end the program if it came now. */
bool signal_kills(int signal);
/* Run the program's handler in the running thread. info and context: the kernel's, or NULL. */
void call_handler(int signal, siginfo_t *info, void *context);
/* The handler was left by a jump, so it is over. */
void handlers_left(void);

/* As the system calls do: 0 or -errno. */
long post_signal(int receiver, int signal,
                 const siginfo_t *info); /* without a step; it waits for the receiver's next */
/* The step before it is sent. To another process, or to all of one: its first thread stands for it; others: they get
 * it, too. */
void step_to_send(int receiver, bool others, int signal, uintptr_t pc);
long send_in_turn(int receiver, int signal, const siginfo_t *info, uintptr_t pc);
void send_to_self(int signal); /* and it is taken at once, unless it is blocked */
long change_mask(int how, const uint64_t *set, uint64_t *old);
long change_action(int signal, const void *action, void *old); /* the kernel's struct, not libc's */
/* What others must know of the process's dispositions; and what its parent hears of it, as in siginfo_t. */
void signals_describe_process(void);
void signals_begin_process(void);
void send_child_news(unsigned child, int code, int status);
uint64_t signals_pending(unsigned thread); /* for it or for the process, blocked or not */

long suspend_for_signal(const uint64_t *mask, uintptr_t pc);
long wait_for_signal(const uint64_t *set, siginfo_t *info, const struct timespec *timeout, uintptr_t pc);
/* Takes the first pending one of the set; 0: none. */
int take_signal(uint64_t set, siginfo_t *info);
struct operation;
bool signal_ready(unsigned thread, const struct operation *op);

#endif
