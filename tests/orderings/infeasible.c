/* SPDX-License-Identifier: Apache-2.0
 *
 * A schedule that cannot be followed: the thread that comes to `announced` never blocks, so `seen` would have to wait
 * for ever.
 */
#include <heddle_schedule.h>

HD_SCHEDULE(never_blocked, "[announced] -> seen");

static void *announce(void *arg)
{
  HD_EVENT(announced);
  return arg;
}

int main(void)
{
  pthread_t announcer;
  HD_CREATE(&announcer, "announcer", announce, NULL);
  HD_EVENT(seen);
  pthread_join(announcer, NULL);
  return 0;
}
