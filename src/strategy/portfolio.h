/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_STRATEGY_PORTFOLIO_H
#define HEDDLE_STRATEGY_PORTFOLIO_H

#include "core/strategy.h"

/* The strategy that makes, or made, the portfolio's current execution. */
enum strategy_id portfolio_member(const void *state);

#endif
