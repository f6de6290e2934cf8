/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes that are stopped and go on again; see job_control.c.
 */
#ifndef HEDDLE_RUNTIME_JOB_CONTROL_H
#define HEDDLE_RUNTIME_JOB_CONTROL_H

#include <stdbool.h>

/* The running thread takes a signal that stops its process; returns when it goes on. */
void process_stop(int signal);
/* SIGCONT came. */
void process_continue(unsigned process);
/* This process is about to end: groups that nobody is left to look after go on, and are told to hang up. */
void process_leaves_groups(void);

#endif
