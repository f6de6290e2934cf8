/* SPDX-License-Identifier: Apache-2.0
 *
 * What came with each signal that is pending, see the source.
 */
#ifndef HEDDLE_RUNTIME_SIGNAL_QUEUE_H
#define HEDDLE_RUNTIME_SIGNAL_QUEUE_H

#include <signal.h>
#include <stdbool.h>

void signal_queue_reset(void);

/* Behind all others for that thread, or for WHOLE_PROCESS. False: no more may wait (RLIMIT_SIGPENDING). */
bool signal_queue_put(int receiver, const siginfo_t *info, bool past_limit);
/* The oldest one, taken out. False: nothing came with it. */
bool signal_queue_take(int receiver, int signal, siginfo_t *info);
bool signal_queue_has(int receiver, int signal);

#endif
