/* SPDX-License-Identifier: Apache-2.0
 *
 * With which status executions came to their exit: one that no schedule changes says nothing about schedules.
 */
#ifndef HEDDLE_CORE_EXITS_H
#define HEDDLE_CORE_EXITS_H

#include <stdint.h>

struct exits {
  uint32_t seen;   /* an execution came to its exit */
  uint32_t first;  /* with this status */
  uint32_t differ; /* and another one with another */
};

#endif
