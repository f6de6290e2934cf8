/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 5, `>`: one side is constant and the other runs towards it; or away from it.
 */
#include "creation.h"

void down(int i)
{
  (void)i;
  while (i > 0) { /* = bounded 5 */
    create();
    --i;
  }
}

void left_constant(int most)
{
  int i = 0;
  while (most > i) { /* = bounded 5 */
    create();
    i = i + 1;
  }
}

void up(int i)
{
  (void)i;
  while (i > 0) { /* = possible, do not run towards */
    create();
    i++;
  }
}

void left_constant_down(int most)
{
  int i = 0;
  while (most > i) { /* = possible, do not run towards */
    create();
    i--;
  }
}
