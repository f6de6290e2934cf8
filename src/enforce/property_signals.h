/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a thread of a free run is in a handler of a signal: there it is not held, since what it interrupted may be
 * what others wait for, a lock say.
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_SIGNALS_H
#define HEDDLE_ENFORCE_PROPERTY_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* The signal whose handler the calling thread is in, 0 for none. */
int property_signal(void);

/* What the handler does until it ends is no event of the property: it could not be held. */
void property_signal_leave_out(uint32_t property);
bool property_signal_leaves_out(uint32_t property);

#endif
