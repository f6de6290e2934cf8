/* SPDX-License-Identifier: Apache-2.0
 *
 * ConcurrentBST: insert does not look whether its compare-and-swap succeeded. Two inserts at the same place: one is lost.
 */
#include "harness.h"

struct node {
  unsigned key;
  _Atomic(struct node *) child[2];
};

static _Atomic(struct node *) root;
static atomic_uint inserted;

static void make(void)
{
  root = NULL;
}

static void insert(unsigned key, unsigned b)
{
  (void)b;
  struct node *node = take_block(sizeof *node);
  node->key = key;
  _Atomic(struct node *) *place = &root;
  for (;;) {
    struct node *there = *place;
    if (there && there->key == key)
      return;
    if (there) {
      place = &there->child[key > there->key];
      continue;
    }
    bool done = atomic_compare_exchange_strong(place, &there, node);
#ifdef FIXED
    if (!done)
      continue;
#endif
    (void)done;
    inserted++;
    return;
  }
}

static void find(unsigned key, unsigned b)
{
  (void)b;
  struct node *node = root;
  while (node && node->key != key)
    node = node->child[key > node->key];
}

static unsigned count(struct node *node)
{
  return node ? 1 + count(node->child[0]) + count(node->child[1]) : 0;
}

static void check(void)
{
  assert(count(root) == inserted);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(insert, 1000), HD_OPERATION(find, 1000))
