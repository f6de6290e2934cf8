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

/* Whoever comes again has not created before. */
void once_at_last(void)
{
  for (;;) { /* = bounded; false */
    if (c_next() == 4)
      continue;
    create();
    break;
  }
}

void once_or_again(void)
{
  for (;;) { /* = possible; c_next() != 4 && c_next() == 5 */
    if (c_next() == 4)
      continue;
    create();
    if (c_next() == 5)
      continue;
    break;
  }
}

/* In its second turn the inner loop goes on with the outer one. */
void again_by_inner_loop(void)
{
  for (;;) { /* = possible; c_next() != 4 && c_next() == 4 */
    for (int i = 0; i < 3; i++) { /* = bounded 5 */
      if (c_next() == 4)
        goto next;
      create();
    }
    break;
  next:
    c_next();
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
