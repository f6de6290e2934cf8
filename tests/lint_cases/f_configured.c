/* SPDX-License-Identifier: Apache-2.0
 *
 * A known false positive of the six patterns: the limit is read from the configuration. Pattern 9 takes it back.
 */
#include "creation.h"
#include <stdlib.h>

void start_configured(void)
{
  for (int i = 0; i < atoi(getenv("THREADS")); i++) /* = bounded 9 */
    create();
}
