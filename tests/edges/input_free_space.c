/* SPDX-License-Identifier: Apache-2.0
 *
 * How much room there is in a file system is nobody's to promise. Natively half of all systems fail, for a while.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <sys/statvfs.h>

int main(void)
{
  struct statvfs now;
  statvfs("/tmp", &now);
  assert(now.f_bfree % 2);
  return 0;
}
