/* SPDX-License-Identifier: Apache-2.0
 *
 * The processes of the program: how they begin, end and are waited for.
 */
#ifndef HEDDLE_RUNTIME_PROCESSES_H
#define HEDDLE_RUNTIME_PROCESSES_H

#include "worlds/threads/system/call.h"
#include <signal.h>

/* Another process like this one, by the system call that the C library or the program makes for it. */
long process_fork(const struct call *call);
/* fork() is about to make that call: its step comes first, before the handlers of pthread_atfork(). */
void process_fork_begins(uintptr_t pc);

/* This process ends with that status (as wait() has it), and all its threads. Does not return. */
_Noreturn void process_end(int status);
/* Whether others are left that have not ended. */
bool process_is_last(void);

/* kill(), to all that are meant. */
long processes_signal(int id, int signal, const siginfo_t *info, uintptr_t pc);
/* setpgid() and its kin. */
long process_group_call(const struct call *call);

long process_wait(const struct call *call);
bool process_has_news(unsigned thread, const struct operation *op); /* for who waits; or there is no child */

/* The one thread by whose end the wait for a child would end; -1: there is none, or several. */
int process_awaited(const struct operation *op);

/* The id that the program knows the process by. */
int process_id(unsigned process);
/* The same, of the process that has this number to the kernel; the number itself if that is none of the program's. */
int process_id_of_kernel(int real);
/* Its number to the kernel. */
int process_kernel_id(unsigned process);
/* The process of that id; PROCESSES: there is none. */
unsigned process_of_id(int id);

/* This process goes on as another program: only the current thread does. In the first process its copy does, and the
 * loop stays. */
void processes_exec(void);

/* At the start of an execution, and after it: nothing is left of the others. */
void processes_begin(void);
void processes_reset(void);
void processes_forget(void); /* they are gone already */

#endif
