/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_STRATEGY_SCHEDULE_SHRINK_H
#define HEDDLE_STRATEGY_SCHEDULE_SHRINK_H

#include <stdbool.h>

/* Whether the last execution showed the wanted bug with a simpler schedule than any before. */
bool shrink_improved(const void *state);

#endif
