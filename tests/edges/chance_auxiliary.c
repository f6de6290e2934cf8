/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel leaves sixteen random bytes to every program: what they are is chance. Natively the assertion fails in every
 * second run or so.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <sys/auxv.h>

int main(void)
{
  const unsigned char *bytes = (const unsigned char *)getauxval(AT_RANDOM);
  assert((bytes[0] ^ bytes[1]) & 1);
  return 0;
}
