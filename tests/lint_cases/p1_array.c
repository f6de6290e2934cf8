/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 1 as C writes it: an array, up to its size.
 */
#include "creation.h"

static const int ports[] = {80, 443, 8080};

void start_for_ports(void)
{
  for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) /* = bounded 5 */
    create();
}
