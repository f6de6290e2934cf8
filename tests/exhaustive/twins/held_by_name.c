/* SPDX-License-Identifier: Apache-2.0
 *
 * Two clerks do the same, but the schedule holds the second one back for good, by its name: only where that one draws
 * its ticket first does the other one go on with the second ticket.
 */
#include <assert.h>
#include <heddle_schedule.h>
#include <pthread.h>
#include <stddef.h>

HD_SCHEDULE(second_waits, "closing -> served@T2");

static _Atomic int tickets;

static void *clerk(void *arg)
{
  int mine = tickets++;
  HD_EVENT(served);
  assert(mine == 0);
  return arg;
}

int main(void)
{
  pthread_t first, second;
  pthread_create(&first, NULL, clerk, NULL);
  pthread_create(&second, NULL, clerk, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  HD_EVENT(closing);
  return 0;
}
