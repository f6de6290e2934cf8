/* SPDX-License-Identifier: Apache-2.0
 *
 * Finite automata, as all read them: monitors of properties (monitor.h), protocols of objects that are mined from runs
 * (predict/protocol/automaton.h), and these on their way to a strategy that follows them (plan.h). A table of states ×
 * letters; it begins in state 0. Where there is no edge it comes to no state, and stays there.
 */
#ifndef HEDDLE_CORE_AUTOMATON_TABLE_H
#define HEDDLE_CORE_AUTOMATON_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define NO_STATE UINT16_MAX

static inline uint16_t automaton_step(const uint16_t *next, uint32_t letters, uint16_t state, uint32_t letter)
{
  return state == NO_STATE ? NO_STATE : next[(size_t)state * letters + letter];
}

#endif
