/* SPDX-License-Identifier: Apache-2.0
 *
 * A known false positive: bounded by an iterator, but asked by a call that is in no pattern, of a pointer that is set
 * back.
 */
#include "creation.h"
#include <stdbool.h>

struct f_list;
struct f_iterator;
extern bool f_has_next(struct f_iterator *);
extern struct f_iterator *f_next(struct f_list *);
extern bool f_list_has_next(struct f_list *);

static void begin(struct f_iterator *at)
{
  (void)at;
  create();
}

bool has_next(struct f_list *list, struct f_iterator *current)
{
  while (current == NULL || !f_has_next(current)) { /* = possible */
    current = NULL;
    if (!f_list_has_next(list))
      return false;
    current = f_next(list);
    begin(current);
  }
  return true;
}
