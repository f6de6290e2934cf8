/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread sets a flag again and again until it is told to stop. Each exchange leads back to where it stood, whatever it
 * finds there, but one that finds the flag cleared changes it: that round is not in vain, and it may come between the
 * clearing and the look at it.
 *
 * verdict: found
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_long stop, flag = 1;

static void *setter(void *arg)
{
  while (!atomic_load(&stop))
    atomic_exchange(&flag, 1);
  return arg;
}

static void *clearer(void *arg)
{
  atomic_store(&flag, 0);
  assert(atomic_load(&flag) == 0);
  atomic_store(&stop, 1);
  return arg;
}

int main(void)
{
  pthread_t thread[2];

  pthread_create(&thread[0], NULL, setter, NULL);
  pthread_create(&thread[1], NULL, clearer, NULL);
  pthread_join(thread[0], NULL);
  pthread_join(thread[1], NULL);
  return 0;
}
