/* SPDX-License-Identifier: Apache-2.0
 *
 * What leaves a loop: break, return, goto and exit; a break of a switch does not. An unguarded one ends it.
 */
#include "creation.h"
#include <stdlib.h>

extern int c_next(void);

void by_goto(int most)
{
  int i = 0;
  for (;;) { /* = bounded 5; i < most */
    if (i >= most)
      goto out;
    create();
    i++;
  }
out:
  return;
}

void by_exit(int most)
{
  int i = 0;
  for (;;) { /* = bounded 5; i < most */
    if (i >= most)
      exit(1);
    create();
    i++;
  }
}

void by_switch(int most)
{
  int i = 0;
  for (;;) { /* = possible */
    switch (c_next()) {
    case 1:
      create();
      if (i++ >= most)
        break;
      break;
    default:
      break;
    }
  }
}

void only_once(void)
{
  for (;;) { /* = bounded; false */
    create();
    break;
  }
}

void by_case(int state)
{
  for (;;) { /* = bounded 5; state == 3 */
    switch (state) {
    case 3:
      create();
    }
    state++;
  }
}
