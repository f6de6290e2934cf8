/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 5, `==`: one side is constant and the other runs towards it; or away from it.
 */
#include "creation.h"

void up(int n)
{
  (void)n;
  while (n == 3) { /* = bounded 5 */
    create();
    n++;
  }
}

void down(int n)
{
  (void)n;
  while (3 == n) { /* = bounded 5 */
    create();
    n--;
  }
}

void from_call(int n)
{
  extern int next_number(void);
  while (n == 3) { /* = possible, assigned from a call (next_number()) */
    create();
    n = next_number();
  }
}
