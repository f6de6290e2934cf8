/* SPDX-License-Identifier: Apache-2.0
 *
 * select with a timeout over a pipe nobody writes to.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <sys/select.h>
#include <unistd.h>

int main(void)
{
  struct timeval patience = {0, 1000};
  int ends[2];
  fd_set set;
  assert(pipe(ends) == 0);
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  assert(select(ends[0] + 1, &set, NULL, NULL, &patience) == 0);
  return 0;
}
