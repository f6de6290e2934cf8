/* SPDX-License-Identifier: Apache-2.0
 *
 * A known false positive: a load generator that is meant to run for ever.
 */
#include "creation.h"
#include <unistd.h>

void generate_load(void)
{
  for (;;) { /* = possible */
    create();
    usleep(1000);
  }
}
