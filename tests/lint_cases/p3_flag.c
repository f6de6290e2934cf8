/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 3: a flag that the loop turns over, at once or under a condition that is itself a bound.
 */
#include "creation.h"
#include <stdbool.h>

extern bool done_enough(void);

void start_once(void)
{
  bool go = true;
  while (go) { /* = bounded 3 */
    create();
    go = false;
  }
}

void start_some(int most)
{
  bool go = true;
  int count = 0;
  while (go) { /* = bounded 3 */
    create();
    if (++count >= most)
      go = false;
  }
}

void start_until_told(void)
{
  bool go = true;
  while (go) { /* = possible, is set only when done_enough() */
    create();
    if (done_enough())
      go = false;
  }
}
