/* SPDX-License-Identifier: Apache-2.0
 *
 * poll() of nothing with a timeout is a sleep, however often: it waits for nobody.
 *
 * verdict: complete
 */
#include <poll.h>
#include <stddef.h>

int main(void)
{
  for (int i = 0; i < 300; i++)
    poll(NULL, 0, 10);
  return 0;
}
