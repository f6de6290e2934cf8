/* SPDX-License-Identifier: Apache-2.0
 *
 * What the runtime asks the strategy minimise: which calls are part of the test in this execution; and tells it: for which
 * call a thread acts.
 */
#ifndef HEDDLE_STRATEGY_MINIMISE_H
#define HEDDLE_STRATEGY_MINIMISE_H

#include "core/subset.h"
#include <stdbool.h>
#include <stdint.h>

bool minimise_keeps(const void *state, uint32_t thread, uint32_t call);
void minimise_at(void *state, unsigned thread, uint32_t of, uint32_t call);

/* The last execution was a smaller test that fails. */
bool minimise_improved(const void *state);
/* The smallest test so far that fails; NULL when the whole one was not seen to fail. */
const struct subset *minimise_best(const void *state);

#endif
