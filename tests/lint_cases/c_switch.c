/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of a switch: several labels, what falls through, other values, and a body that is no block.
 */
#include "creation.h"

extern int ask(void);

void two_labels(int s)
{
  for (;;) { /* = possible; (s == 2 || s == 3) && s != 1 */
    switch (s) {
    case 1:
      return;
    case 2:
    case 3:
      create();
      break;
    default:
      break;
    }
  }
}

void falls_through(int s)
{
  for (;;) { /* = possible; s == 1 || s == 2 */
    switch (s) {
    case 0:
      break;
    case 1:
      ask();
    case 2: {
      create();
      break;
    }
    }
  }
}

void any_other(void)
{
  for (;;) { /* = possible; another value of ask() */
    switch (ask()) {
    case 1:
      break;
    default:
      create();
    }
  }
}

void leaves_by_default(int n)
{
  for (int i = 0; i <= 3; i++) { /* = bounded 5; i <= 3 && a value with a case of its own of n */
    switch (n) {
    case 1:
      break;
    default:
      return;
    }
    create();
  }
}

void no_block(void)
{
  for (;;) /* = possible; ask() == 1 */
    switch (ask())
    case 1:
      create();
}

void counted(int n)
{
  for (;;) { /* = bounded 5; n-- != 0 */
    switch (n--) {
    case 0:
      return;
    }
    create();
  }
}
