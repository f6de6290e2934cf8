/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 3: the flag negated, as in `if (!started)`; and a static one in a function that the loop calls.
 */
#include "creation.h"
#include <stdbool.h>

extern int p3_read(void);

void start_when_needed(void)
{
  bool started = false;
  for (;;) { /* = bounded 3 */
    p3_read();
    if (!started) {
      create();
      started = true;
    }
  }
}

static void ensure_started(void)
{
  static bool started;
  if (started)
    return;
  started = true;
  create();
}

void serve(void)
{
  for (;;) { /* = bounded 3 */
    p3_read();
    ensure_started();
  }
}

void start_while_busy(bool busy)
{
  while (busy == true) { /* = possible */
    create();
  }
}
