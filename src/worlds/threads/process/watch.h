/* SPDX-License-Identifier: Apache-2.0
 *
 * Watched calls, as boot and cancellation need them (watch.c).
 */
#ifndef HEDDLE_RUNTIME_WATCH_H
#define HEDDLE_RUNTIME_WATCH_H

#include <stdint.h>

void watch_boot(void); /* before main, and before memory is snapshotted */
/* The thread's stack is about to be unwound: it returns to nowhere else than where its calls came from. */
void watch_unwinds(void);
/* What the addresses of the program have more than its file says. */
uintptr_t watch_base(void);

#endif
