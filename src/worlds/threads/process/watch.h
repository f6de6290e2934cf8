/* SPDX-License-Identifier: Apache-2.0
 *
 * Watched calls, as boot and the shadow call stack need them (watch.c).
 */
#ifndef HEDDLE_RUNTIME_WATCH_H
#define HEDDLE_RUNTIME_WATCH_H

#include <stdint.h>

void watch_boot(void); /* before main, and before memory is snapshotted */
/* What the addresses of the program have more than its file says. */
uintptr_t watch_base(void);
/* A return address as the program put it, where it was replaced to await a result. */
uintptr_t watch_caller(uintptr_t pc);

#endif
