/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 1: a walk by a macro is bounded; not if the loop adds to the list.
 */
#include "creation.h"
#include <sys/queue.h>

struct p1_item {
  TAILQ_ENTRY(p1_item) link;
};
TAILQ_HEAD(p1_list, p1_item);

void start_all(struct p1_list *list)
{
  struct p1_item *item;
  TAILQ_FOREACH(item, list, link) /* = bounded 1 */
    create();
}

void start_and_grow(struct p1_list *list, struct p1_item *more)
{
  struct p1_item *item;
  TAILQ_FOREACH(item, list, link) { /* = possible, adds to 'list' */
    create();
    TAILQ_INSERT_TAIL(list, more, link);
  }
}
