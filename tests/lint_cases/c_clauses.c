/* SPDX-License-Identifier: Apache-2.0
 *
 * Clauses of `for` are told apart by their semicolons, not by those in literals and comments.
 */
#include "creation.h"

void in_a_character(void)
{
  for (char c = ';'; c != 0;) { /* = bounded 3; c != 0 */
    create();
    c = 0;
  }
}

void in_a_string(const char *p)
{
  for (p = "a;\";b"; *p;) { /* = bounded 2; *p */
    create();
    p++;
  }
}

void in_a_comment(void)
{
  for (int i = 0 /* ; ) */; i < 3;) { /* = bounded 5; i < 3 */
    create();
    i++;
  }
}

void none_at_all(void)
{
  for (; /* ; */;) /* = possible; true */
    create();
}
