/* SPDX-License-Identifier: Apache-2.0
 *
 * A call through a pointer may call what was put into the same member; told as what may be.
 */
#include "creation.h"

struct l_handler {
  void (*run)(void);
  void (*stop)(void);
};

static void starts(void)
{
  create();
}

static void stops(void)
{
}

static struct l_handler handler = {.run = starts, .stop = stops};

void serve_all(void)
{
  for (;;) /* = may unbounded */
    handler.run();
}

void stop_all(void)
{
  for (;;)
    handler.stop();
}
