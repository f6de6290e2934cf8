/* SPDX-License-Identifier: Apache-2.0
 *
 * Executions over time, see the header.
 */
#include "report/page/pace.h"

static void drop_half(struct pace *pace)
{
  uint32_t left = 0;
  for (uint32_t i = 0; i < pace->count; i += 2)
    pace->point[left++] = pace->point[i];
  pace->least = 2 * (pace->point[left - 1].seconds - pace->point[0].seconds) / PACE_POINTS;
  pace->count = left;
}

void pace_note(struct pace *pace, const struct pace_point *now, bool last)
{
  const struct pace_point whole = {.seconds = pace->from.seconds + now->seconds,
                                   .executions = pace->from.executions + now->executions,
                                   .estimate = now->estimate};
  if (last)
    pace->from = whole;
  if (!last && pace->count && whole.seconds - pace->point[pace->count - 1].seconds < pace->least)
    return;
  if (pace->count == PACE_POINTS)
    drop_half(pace);
  pace->point[pace->count++] = whole;
}
