/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 3: a flag that only others turn over is no bound; nor one that is set back.
 */
#include "creation.h"
#include <signal.h>
#include <stdbool.h>

static volatile sig_atomic_t p3_stop;
extern int p3_accept(void);

void start_until_signal(void)
{
  while (!p3_stop) { /* = possible, does not set 'p3_stop' to true */
    p3_accept();
    create();
  }
}

void start_again(void)
{
  bool started = false;
  for (;;) { /* = possible, sets 'started' back */
    if (!started) {
      create();
      started = true;
    }
    if (p3_accept() < 0)
      started = false;
  }
}
