/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets the wall clock back by an hour and forward again: the program sees it, if it may, and the machine's own stays as it is.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <sys/time.h>
#include <time.h>

int main(void)
{
  struct timespec before, after;
  clock_gettime(CLOCK_REALTIME, &before);
  struct timespec earlier = {before.tv_sec - 3600, before.tv_nsec};
  if (clock_settime(CLOCK_REALTIME, &earlier) != 0) {
    assert(errno == EPERM);
    return 0;
  }
  clock_gettime(CLOCK_REALTIME, &after);
  assert(after.tv_sec >= earlier.tv_sec && after.tv_sec < before.tv_sec);
  struct timeval back = {before.tv_sec, before.tv_nsec / 1000};
  assert(settimeofday(&back, NULL) == 0);
  clock_gettime(CLOCK_REALTIME, &after);
  assert(after.tv_sec >= before.tv_sec);
  struct timespec boot;
  clock_gettime(CLOCK_MONOTONIC, &boot);
  assert(clock_settime(CLOCK_MONOTONIC, &boot) == -1 && errno == EINVAL);
  return 0;
}
