/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver is stopped while a request comes in: the request looks whether it is to stop, and counts itself in a step
 * later; in between the driver is gone.
 *
 * verdict: assertion
 */
#include "many.h"
#include <stdatomic.h>

static atomic_int stopping, stopped, pending = 1;

static void leave(void)
{
  if (atomic_fetch_sub(&pending, 1) == 1)
    stopped = 1;
}

static int enter(void)
{
#ifdef FIXED
  pending++;
  if (!stopping)
    return 1;
  leave();
  return 0;
#else
  if (stopping)
    return 0;
  pending++;
  return 1;
#endif
}

static void *request(void *unused)
{
  if (enter()) {
    assert(!stopped);
    leave();
  }
  return unused;
}

int main(void)
{
  start(request, 0);
  stopping = 1;
  leave();
  wait_for_all();
  return 0;
}
