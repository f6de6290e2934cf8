/* SPDX-License-Identifier: Apache-2.0
 *
 * dpor and causal in turns, as sessions of their own (cli/command/explore.c): no process is ever given this one.
 */
#include "core/strategy.h"

static const enum strategy_id members[] = {STRATEGY_dpor, STRATEGY_causal, STRATEGY_COUNT};

const struct strategy strategy_auto = {.name = "auto", .exhaustive = true, .members = members};
