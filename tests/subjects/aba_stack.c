/* SPDX-License-Identifier: Apache-2.0
 *
 * The ABA problem. A lock-free stack holds 1 over 2. The slow thread wants to pop: it has read that 1 is on top with
 * 2 below it. Now the fast thread pops 1, pops 2 and keeps it, and pushes 1 back. The slow thread's compare-and-swap
 * still finds 1 on top, succeeds, and makes 2 the top: a node that belongs to the fast thread. The next pop hands it
 * out a second time. The twin counts every change in the upper half of the word, so that "1 again" is not "1 still".
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define CHANGE 0x10000u
#else
#define CHANGE 0u
#endif
#define NODE(word) ((word)&0xffffu)
#define COUNT(word) ((word) & ~0xffffu)

static atomic_uint top;      /* count of changes, and the number of a node; 0 is the end */
static atomic_uint below[3]; /* the node under each node */

static unsigned pop(void)
{
  unsigned old = top;
  unsigned next;

  do {
    if (NODE(old) == 0)
      return 0;
    next = below[NODE(old)] | (COUNT(old) + CHANGE);
  } while (!atomic_compare_exchange_strong(&top, &old, next));
  return NODE(old);
}

static void push(unsigned node)
{
  unsigned old = top;

  do
    below[node] = NODE(old);
  while (!atomic_compare_exchange_strong(&top, &old, node | (COUNT(old) + CHANGE)));
}

/* Each thread leaves the nodes it keeps in the two places of its argument. */
static void *slow(void *arg)
{
  unsigned *mine = arg;

  mine[0] = pop();
  mine[1] = pop();
  return NULL;
}

static void *fast(void *arg)
{
  unsigned *mine = arg;
  unsigned first = pop();

  mine[0] = pop();
  if (first != 0)
    push(first);
  return NULL;
}

int main(void)
{
  pthread_t a, b;
  unsigned kept[4] = {0};

  below[1] = 2;
  top = 1;
  pthread_create(&a, NULL, slow, &kept[0]);
  pthread_create(&b, NULL, fast, &kept[2]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(kept[2] == 0 || (kept[2] != kept[0] && kept[2] != kept[1]));
  return 0;
}
