/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 5, `>=`: one side is constant and the other runs towards it; or away from it.
 */
#include "creation.h"

void down(int i)
{
  (void)i;
  while (i >= 1) { /* = bounded 5 */
    create();
    i -= 1;
  }
}

void right_up(int most)
{
  int i = 0;
  while (most >= i) { /* = bounded 5 */
    create();
    i++;
  }
}

void up(int i)
{
  (void)i;
  while (i >= 1) { /* = possible, do not run towards */
    create();
    i += 1;
  }
}
