/* SPDX-License-Identifier: Apache-2.0
 *
 * What a stress test (include/heddle_stress.h) asks and tells: whether it is scheduled by heddle, which of its calls
 * are to be made in this execution, and for which one a thread acts. Not scheduling points. Which calls is for the
 * strategy to say, if it cares; else the test itself decides.
 */
#include "heddle_stress.h"
#include "worlds/threads/runtime.h"

EXPORT int hd__stress_keeps(unsigned thread, unsigned call)
{
  const struct engine *e = rt.engine;
  return hd_self && e->strategy->has_call ? e->strategy->has_call(e->strategy_state, thread, call) : -1;
}

EXPORT int hd__stress_controlled(void)
{
  return hd_self != NULL;
}

EXPORT void hd__stress_at(unsigned thread, unsigned call)
{
  const struct engine *e = rt.engine;
  if (hd_self && e->strategy->at_call)
    e->strategy->at_call(e->strategy_state, self_index(), thread, call);
}
