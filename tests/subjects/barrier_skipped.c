/* SPDX-License-Identifier: Apache-2.0
 *
 * Two pickers empty a basket of two apples and meet at a barrier. A picker who finds the basket empty at the very
 * start goes home without going to the barrier. If one of them is quick and takes both apples, she waits there for
 * somebody who has left.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t gate;
static atomic_int basket = 2;

static int pick(void)
{
  int apples = basket;

  while (apples > 0)
    if (atomic_compare_exchange_weak(&basket, &apples, apples - 1))
      return 1;
  return 0;
}

static void *picker(void *arg)
{
  int picked = 0;

  while (pick())
    picked++;
#ifndef FIXED
  if (picked == 0)
    return arg;
#endif
  pthread_barrier_wait(&gate);
  assert(picked <= 2);
  return arg;
}

int main(void)
{
  pthread_t thread[2];

  pthread_barrier_init(&gate, NULL, 2);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, picker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  pthread_barrier_destroy(&gate);
  return 0;
}
