/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 5, `<`: one side is constant and the other runs towards it; or away from it.
 */
#include "creation.h"

void up(int most)
{
  int i = 0;
  while (i < most) { /* = bounded 5 */
    create();
    i++;
  }
}

void limit_down(int most)
{
  int i = 3;
  while (i < most) { /* = bounded 5 */
    create();
    most--;
  }
}

void down(int most)
{
  int i = 0;
  while (i < most) { /* = possible, do not run towards */
    create();
    i--;
  }
}

void neither(int most)
{
  int i = 0;
  while (i < most) { /* = possible, neither side changes */
    create();
    (void)i;
  }
}
