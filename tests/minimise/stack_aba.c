/* SPDX-License-Identifier: Apache-2.0
 *
 * ConcurrentStack, second fault: nodes are used again and the head carries no tag. A pop that has read the head and the one
 * below it sleeps while others take both and put the first one back; its compare-and-swap succeeds and brings a free node
 * into the stack.
 */
#include "harness.h"

#define NODES 64u

static atomic_uint below[NODES], used[NODES]; /* nodes are numbers, 0 is none */
static _Atomic(uint64_t) head;                /* the node, and in the fixed twin a tag above it */
static atomic_uint pushed, popped;

static uint64_t head_of(unsigned node, uint64_t before)
{
#ifdef FIXED
  return ((before >> 32) + 1) << 32 | node;
#else
  (void)before;
  return node;
#endif
}

static void push_node(unsigned node)
{
  uint64_t top = head;
  do
    below[node] = (unsigned)top;
  while (!atomic_compare_exchange_strong(&head, &top, head_of(node, top)));
  pushed++;
}

static void make(void)
{
  for (unsigned node = 1; node <= 2; node++) {
    used[node] = 1;
    push_node(node);
  }
}

static void push(unsigned a, unsigned b)
{
  (void)a, (void)b;
  for (unsigned node = 1; node < NODES; node++)
    if (!atomic_exchange(&used[node], 1)) {
      push_node(node);
      return;
    }
}

static void pop(unsigned a, unsigned b)
{
  (void)a, (void)b;
  uint64_t top = head;
  while ((unsigned)top && !atomic_compare_exchange_strong(&head, &top, head_of(below[(unsigned)top], top)))
    ;
  if (!(unsigned)top)
    return;
  popped++;
  used[(unsigned)top] = 0;
}

static void check(void)
{
  unsigned left = 0;
  for (unsigned node = (unsigned)head; node && left <= NODES; node = below[node])
    left++;
  assert(left == pushed - popped);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(push), HD_OPERATION(pop))
