/* SPDX-License-Identifier: Apache-2.0
 *
 * What others ask the strategy history.
 */
#ifndef HEDDLE_STRATEGY_HISTORY_H
#define HEDDLE_STRATEGY_HISTORY_H

#include <stdint.h>

/* How many different decisions were taken so far. */
uint64_t history_size(const void *state);

#endif
