/* SPDX-License-Identifier: Apache-2.0
 *
 * What a stress test (include/heddle_stress.h) asks and tells: whether it is scheduled by heddle, which of its calls are to
 * be made in this execution, and for which one a thread acts. Not scheduling points. Which calls is for the strategy minimise
 * to say; else the test itself decides.
 */
#include "heddle_stress.h"
#include "runtime/runtime.h"
#include "strategy/minimise.h"

static bool minimising(void)
{
  return hd_self && rt.control->config.strategy == STRATEGY_minimise;
}

EXPORT int hd__stress_keeps(unsigned thread, unsigned call)
{
  return minimising() ? minimise_keeps(rt.engine->strategy_state, thread, call) : -1;
}

EXPORT int hd__stress_controlled(void)
{
  return hd_self != NULL;
}

EXPORT void hd__stress_at(unsigned thread, unsigned call)
{
  if (minimising())
    minimise_at(rt.engine->strategy_state, self_index(), thread, call);
}
