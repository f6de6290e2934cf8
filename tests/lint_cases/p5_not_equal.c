/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 5, `!=`: one side is constant and the other runs towards it; or away from it.
 */
#include "creation.h"

void up(int most)
{
  int i = 0;
  while (i != most) { /* = bounded 5 */
    create();
    i++;
  }
}

void down_to_zero(int n)
{
  (void)n;
  while (n) { /* = bounded 5 */
    create();
    n--;
  }
}

void in_the_condition(int n)
{
  (void)n;
  while (n--) { /* = bounded 5 */
    create();
    (void)n;
  }
}

void both_ways(int most)
{
  int i = 0;
  while (i != most) { /* = possible, counted up and down */
    create();
    i += most > 2 ? 1 : -1; i--;
  }
}

void none(int n)
{
  int i = 0;
  while (i != n) { /* = possible, neither side changes */
    create();
    (void)i;
  }
}
