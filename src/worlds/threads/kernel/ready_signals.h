/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals that tell that a descriptor is ready (O_ASYNC); see ready_signals.c.
 */
#ifndef HEDDLE_RUNTIME_READY_SIGNALS_H
#define HEDDLE_RUNTIME_READY_SIGNALS_H

#include "worlds/threads/kernel/kernel.h"

/* Whether anybody asked for such signals in this execution: then whoever writes may send one. */
bool ready_signals_wanted(void);
/* The description wants them from now on, or no more. */
void ready_signals_want(struct description *d, long fd, bool wants);
/* Something came to the channel, or went. */
void ready_signals_send(uint16_t channel, unsigned events);
/* F_SETOWN and its like: the result. UNKNOWN: it is none of these. */
long ready_signals_fcntl(struct description *d, long command, long value);
void ready_signals_reset(void);

#endif
