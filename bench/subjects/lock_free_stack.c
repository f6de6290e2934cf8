/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads and main: a stack by compare-and-swap onto which each thread pushes three nodes of its own; main empties it
 * with one exchange. Nothing is pushed twice, so there is no ABA problem. Correct.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 2, EACH = 3 };

static struct node {
  struct node *next;
  int value;
} nodes[THREADS][EACH];

static _Atomic(struct node *) top;
static atomic_int pushed;

static void *push(void *arg)
{
  struct node *own = arg;
  for (int i = 0; i < EACH; i++) {
    own[i].value = 1;
    own[i].next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_strong_explicit(&top, &own[i].next, &own[i], memory_order_release,
                                                    memory_order_relaxed))
      ;
    atomic_fetch_add(&pushed, 1);
  }
  return NULL;
}

int main(void)
{
  pthread_t t[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&t[i], NULL, push, nodes[i]);
  for (int i = 0; i < THREADS; i++)
    pthread_join(t[i], NULL);
  int sum = 0;
  for (struct node *n = atomic_exchange(&top, NULL); n; n = n->next)
    sum += n->value;
  assert(sum == THREADS * EACH && atomic_load(&pushed) == sum);
  return 0;
}
