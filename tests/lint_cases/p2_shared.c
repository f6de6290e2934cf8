/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 2: a list that a thread adds to without a lock may grow while it is walked through.
 */
#include "creation.h"

struct p2b_node {
  struct p2b_node *next;
};
static struct p2b_node *p2b_head, *p2b_own, p2b_first;

static void *adds(void *argument)
{
  struct p2b_node *node = argument;
  node->next = p2b_head;
  p2b_head = node;
  return NULL;
}

void start_all(void)
{
  pthread_t thread;
  struct p2b_node *at;
  for (at = p2b_head; at; at = at->next) /* = possible, filled by another thread */
    pthread_create(&thread, NULL, adds, NULL);
}

void start_own(void)
{
  struct p2b_node *at;
  for (at = p2b_own; at; at = at->next) /* = bounded 2 */
    create();
}

void start_others(void)
{
  struct p2b_node *at;
  for (at = p2b_first.next; at; at = at->next) /* = bounded 2 */
    create();
}

struct p2b_group {
  struct p2b_node *members;
};

static void *fills(void *argument)
{
  struct p2b_group *group = argument;
  group->members = NULL;
  return NULL;
}

/* Those of another group, for all that is known. */
void start_members(struct p2b_group *group)
{
  struct p2b_node *at;
  pthread_t thread;
  for (at = group->members; at; at = at->next) /* = bounded 2 */
    pthread_create(&thread, NULL, fills, NULL);
}
