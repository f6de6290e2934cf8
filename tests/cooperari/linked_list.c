/* SPDX-License-Identifier: Apache-2.0
 *
 * Builders append to one list: walk to the last node, link the new one behind it. The number of nodes is counted under
 * a lock, but the walk and the link are not, so two builders can find the same last node, and one of the two new nodes
 * is lost. In the twin the lock is held all the way.
 *
 * verdict: assertion
 * also: race
 */
#include "threads.h"
#include <assert.h>

enum { APPENDED = 2 };

struct node {
  struct node *next;
};

static struct node head;
static struct node pool[THREADS_MOST][APPENDED];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void link_behind_last(struct node *node)
{
  struct node *last = &head;

  while (last->next)
    last = last->next;
  last->next = node;
}

static void append(struct node *node)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
  link_behind_last(node);
#else
  link_behind_last(node);
  pthread_mutex_lock(&lock);
#endif
  count++;
  pthread_mutex_unlock(&lock);
}

static void builder(int number)
{
  for (int i = 0; i < APPENDED; i++)
    append(&pool[number][i]);
}

int main(int argc, char **argv)
{
  int length = 0;

  run_threads(thread_count(argc, argv), builder);
  for (struct node *node = head.next; node; node = node->next)
    length++;
  assert(length == count);
  return 0;
}
