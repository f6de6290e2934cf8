/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock-free stack whose nodes are never freed while somebody may still compare with their addresses: no address
 * comes back, so a compare-and-exchange succeeds only if the node has been on top all the time.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  struct node *next;
};

static struct node *_Atomic top;
static atomic_int popped;

static void push(struct node *node)
{
  node->next = top;
  while (!atomic_compare_exchange_strong(&top, &node->next, node))
    ;
}

static void pop(void)
{
  struct node *node = top;
  while (node && !atomic_compare_exchange_strong(&top, &node, node->next))
    ;
  popped += node != NULL;
}

static void *worker(void *node)
{
  pop();
  pop();
  push(node);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  struct node *nodes[3];
  for (int i = 0; i < 3; i++)
    nodes[i] = malloc(sizeof *nodes[i]);
  push(nodes[0]);
  push(nodes[1]);
  pthread_create(&thread, NULL, worker, nodes[2]);
  pop();
  pthread_join(thread, NULL);
  while (top)
    pop();
  assert(popped == 3);
  for (int i = 0; i < 3; i++)
    free(nodes[i]);
  return 0;
}
