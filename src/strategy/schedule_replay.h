/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_STRATEGY_SCHEDULE_REPLAY_H
#define HEDDLE_STRATEGY_SCHEDULE_REPLAY_H

#include "strategy/follow.h"

#define REPLAY_SEGMENTS (1u << 20) /* longer schedules are refused by the command line */

#endif
