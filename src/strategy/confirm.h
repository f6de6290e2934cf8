/* SPDX-License-Identifier: Apache-2.0
 *
 * What others ask the strategy confirm.
 */
#ifndef HEDDLE_STRATEGY_CONFIRM_H
#define HEDDLE_STRATEGY_CONFIRM_H

#include "core/plan.h"

/* Of all executions so far. */
const struct plan_outcome *confirm_outcome(const void *state);

#endif
