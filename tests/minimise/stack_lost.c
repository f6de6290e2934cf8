/* SPDX-License-Identifier: Apache-2.0
 *
 * ConcurrentStack, first fault: pop reads the head and stores the one below it without a compare-and-swap, so two pops can
 * take the same value.
 */
#include "harness.h"

struct node {
  unsigned value;
  struct node *below;
};

static _Atomic(struct node *) head;
static atomic_uint pushed, popped;

static void make(void)
{
  head = NULL;
}

static void push(unsigned value, unsigned b)
{
  (void)b;
  struct node *node = take_block(sizeof *node);
  node->value = value;
  node->below = head;
  while (!atomic_compare_exchange_strong(&head, &node->below, node))
    ;
  pushed++;
}

static void pop(unsigned a, unsigned b)
{
  (void)a, (void)b;
  struct node *node = head;
#ifdef FIXED
  while (node && !atomic_compare_exchange_strong(&head, &node, node->below))
    ;
#else
  if (node)
    head = node->below;
#endif
  if (node)
    popped++;
}

static void check(void)
{
  unsigned left = 0;
  for (struct node *node = head; node; node = node->below)
    left++;
  assert(left == pushed - popped);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(push, 100), HD_OPERATION(pop))
