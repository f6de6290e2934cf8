/* SPDX-License-Identifier: Apache-2.0
 *
 * How a search fared that plans its executions one by one, each to show something: whether they did, and what need not
 * be run.
 */
#ifndef HEDDLE_CORE_PLANNED_H
#define HEDDLE_CORE_PLANNED_H

#include <stdint.h>

struct planned {
  uint64_t executions; /* that followed a plan to their end, or were to */
  uint64_t shown;      /* of them, those that showed what they were to show */
  uint64_t subsumed;   /* plans that were not run: executions showed all of it before their turn came */
};

#endif
