/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 1: a walk through a collection that others may add to is no bound.
 */
#include "creation.h"

struct p1c_node {
  struct p1c_node *next;
};
#define cds_list_for_each_entry_rcu(at, head) for ((at) = p1c_load(head); (at); (at) = p1c_load((at)->next))
extern struct p1c_node *p1c_load(struct p1c_node *);

void start_for_each(struct p1c_node *head)
{
  struct p1c_node *at;
  cds_list_for_each_entry_rcu(at, head) /* = possible, others may add to */
    create();
}
