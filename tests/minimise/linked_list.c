/* SPDX-License-Identifier: Apache-2.0
 *
 * ConcurrentLinkedList: remove unlinks a node without marking it first. An insert behind that node, or a removal of its
 * neighbour, that comes in between is lost.
 */
#include "harness.h"

struct node {
  unsigned key;
  _Atomic(struct node *) next;
};

static struct node head;
static atomic_uint inserted, removed;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() (void)0
#define UNLOCK() (void)0
#endif

static void make(void)
{
  head.next = NULL;
}

/* The last node whose key is smaller. */
static struct node *before(unsigned key, struct node **found)
{
  struct node *node = &head;
  for (struct node *next = node->next; next && next->key < key; next = node->next)
    node = next;
  *found = node->next;
  return node;
}

static void insert(unsigned key, unsigned b)
{
  (void)b;
  struct node *node = take_block(sizeof *node), *next;
  node->key = key;
  LOCK();
  for (;;) {
    struct node *left = before(key, &next);
    if (next && next->key == key)
      break;
    node->next = next;
    if (atomic_compare_exchange_strong(&left->next, &next, node)) {
      inserted++;
      break;
    }
  }
  UNLOCK();
}

static void erase(unsigned key, unsigned b)
{
  (void)b;
  LOCK();
  for (;;) {
    struct node *next, *left = before(key, &next);
    if (!next || next->key != key)
      break;
    struct node *rest = next->next;
    if (atomic_compare_exchange_strong(&left->next, &next, rest)) {
      removed++;
      break;
    }
  }
  UNLOCK();
}

static void check(void)
{
  unsigned left = 0;
  for (struct node *node = head.next; node; node = node->next)
    left++;
  assert(left == inserted - removed);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(insert, 16), HD_OPERATION(erase, 16))
