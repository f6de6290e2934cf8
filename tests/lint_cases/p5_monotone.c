/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 5, what is monotone: simple computations with what the loop does not change; nothing more complex.
 */
#include "creation.h"

extern int p5_step(void);

void by_fixed_step(int most, int step)
{
  for (int i = 0; i < most; i += step) /* = bounded 5 */
    create();
}

void by_changing_step(int most, int step)
{
  int i = 0;
  while (i < most) { /* = possible, 'i' is set in the loop */
    create();
    i += step;
    step--;
  }
}

void by_call(int most)
{
  int i = 0;
  while (i < most) { /* = possible, 'i' is assigned from a call (p5_step()) */
    create();
    i = p5_step();
  }
}

void by_difference(int most)
{
  int i = 0;
  while (most - i > 0) { /* = bounded 5 */
    create();
    i++;
  }
}
