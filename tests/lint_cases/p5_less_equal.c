/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 5, `<=`: one side is constant and the other runs towards it; or away from it.
 */
#include "creation.h"

void up(int most)
{
  int i = 0;
  while (i <= most) { /* = bounded 5 */
    create();
    i += 2;
  }
}

void left_constant(int i)
{
  int least = 0;
  while (least <= i) { /* = bounded 5 */
    create();
    i = i - 1;
  }
}

void left_constant_up(int i)
{
  int least = 0;
  while (least <= i) { /* = possible, do not run towards */
    create();
    i++;
  }
}
