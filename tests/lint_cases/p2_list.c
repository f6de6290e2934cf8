/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 2: a list, up to its end; not if the loop puts something into it.
 */
#include "creation.h"

struct p2_node {
  struct p2_node *next;
};

void start_all(struct p2_node *head)
{
  for (struct p2_node *at = head; at; at = at->next) /* = bounded 2 */
    create();
}

void start_all_compared(struct p2_node *head)
{
  struct p2_node *at;
  for (at = head; at != NULL; at = at->next) /* = bounded 2 */
    create();
}

void start_and_grow(struct p2_node *head, struct p2_node *more)
{
  struct p2_node *at;
  for (at = head; at; at = at->next) { /* = possible, puts something into the list */
    create();
    more->next = at->next;
    at->next = more;
  }
}

void start_all_but_none(struct p2_node *at)
{
  do { /* = bounded 2 */
    if (!at)
      break;
    create();
  } while ((at = at->next));
}

void start_all_mirrored(struct p2_node *at)
{
  while (NULL != at) { /* = bounded 2 */
    create();
    at = at->next;
  }
}
