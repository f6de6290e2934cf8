/* SPDX-License-Identifier: Apache-2.0
 *
 * The condition of a creation: `c1 && !c2 && c3`.
 */
#include "creation.h"
#include <stdbool.h>

void exact(bool c1, bool c2, bool c3)
{
  while (c1) { /* = possible; c1 && !c2 && c3 */
    if (c2)
      return;
    if (c3)
      create();
  }
}
