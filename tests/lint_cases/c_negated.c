/* SPDX-License-Identifier: Apache-2.0
 *
 * Guards of jumps are negated, negations are pushed inward (De Morgan).
 */
#include "creation.h"
#include <stdbool.h>

extern bool c_ready(void);

void broken_off(int most)
{
  int i = 0;
  for (;;) { /* = bounded 5; i < most */
    if (i >= most)
      break;
    create();
    i++;
  }
}

void de_morgan_or(int most, bool stop)
{
  int i = 0;
  while (!(stop || i >= most)) { /* = bounded 5; !stop && i < most */
    create();
    i++;
  }
}

void de_morgan_and(int most, bool stop)
{
  int i = 0;
  while (!(stop && i >= most)) { /* = possible; !stop || i < most */
    create();
    i++;
  }
}

void either_bounded(int most)
{
  int i = 0;
  while (i < most || i < 7) { /* = bounded 5; i < most || i < 7 */
    create();
    i++;
  }
}

void on_the_else_side(int most)
{
  int i = 0;
  for (;;) { /* = bounded 5; i < most */
    if (i >= most)
      c_ready();
    else
      create();
    i++;
  }
}

void skipped(int most)
{
  int i = 0;
  for (;;) { /* = bounded 5; i < most */
    i++;
    if (!(i < most))
      continue;
    create();
  }
}

void nested_guard(int most)
{
  int i = 0;
  for (;;) { /* = possible; !c_ready() || i < most */
    i++;
    if (c_ready()) {
      if (i >= most)
        return;
    }
    create();
  }
}
