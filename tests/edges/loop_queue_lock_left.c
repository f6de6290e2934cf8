/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue lock whose holder leaves without handing it on if the next one has not linked itself yet: that one waits for
 * ever, at a node on its own stack that nobody else has come to. Nobody ends before both are done, as their nodes would
 * end with them.
 *
 * verdict: found
 * kind: hang
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
  _Atomic(struct node *) next;
  atomic_int waits;
};

static _Atomic(struct node *) tail;
static int count;
static pthread_barrier_t both;

static void lock(struct node *own)
{
  own->next = NULL;
  own->waits = 1;
  struct node *before = atomic_exchange(&tail, own);
  if (!before)
    return;
  before->next = own;
  while (own->waits)
    ;
}

static void unlock(struct node *own)
{
  struct node *last = own, *next = own->next;
  if (next)
    next->waits = 0;
  else
    atomic_compare_exchange_strong(&tail, &last, NULL);
}

static void *worker(void *unused)
{
  struct node own;
  lock(&own);
  count++;
  unlock(&own);
  pthread_barrier_wait(&both);
  return unused;
}

int main(void)
{
  pthread_t one, other;
  pthread_barrier_init(&both, NULL, 2);
  pthread_create(&one, NULL, worker, NULL);
  pthread_create(&other, NULL, worker, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  return 0;
}
