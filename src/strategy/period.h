/* SPDX-License-Identifier: Apache-2.0
 *
 * What others ask the strategy period.
 */
#ifndef HEDDLE_STRATEGY_PERIOD_H
#define HEDDLE_STRATEGY_PERIOD_H

#include <stdint.h>

/* How far it came. */
struct period_reach {
  uint32_t segments; /* it is at schedules of so many; of fewer it has run all */
  uint64_t done, of; /* of those; of is UINT64_MAX if they are more */
};

struct period_reach period_reach(const void *state);

#endif
