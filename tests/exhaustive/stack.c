/* SPDX-License-Identifier: Apache-2.0
 *
 * stack N [1]: N threads push a node each onto a lock-free stack: read the top, and put the node there by compare-and-swap,
 * again and again until nobody came in between; 1: with the top that the compare-and-swap found, in the node.
 */
#include "together.h"

struct node {
  struct node *next;
  int value;
};

static struct node *_Atomic top;

static int learns;

static void *pusher(void *arg)
{
  struct node *node = malloc(sizeof *node);

  node->value = first(arg);
  node->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &node->next, node))
    if (!learns)
      node->next = atomic_load(&top);
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2);
  learns = number(argc, argv, 2, 0);

  for (int i = 0; i < n; i++)
    start(pusher, i, 0);
  finish();
  while (top) {
    struct node *node = top;
    printf("%d ", node->value);
    top = node->next;
    free(node);
  }
  printf("\n");
  return 0;
}
