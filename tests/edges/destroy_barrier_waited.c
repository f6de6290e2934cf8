/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread waits at a barrier for one, another destroys it, and nothing says which comes first: the wait may use a
 * barrier that is destroyed.
 *
 * verdict: find
 * kind: property
 */
#include <pthread.h>

static pthread_barrier_t barrier;

static void *waiter(void *unused)
{
  pthread_barrier_wait(&barrier);
  return unused;
}

static void *destroyer(void *unused)
{
  pthread_barrier_destroy(&barrier);
  return unused;
}

int main(void)
{
  pthread_t one, two;
  pthread_barrier_init(&barrier, NULL, 1);
  pthread_create(&one, NULL, waiter, NULL);
  pthread_create(&two, NULL, destroyer, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
