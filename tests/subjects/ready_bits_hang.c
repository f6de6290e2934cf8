/* SPDX-License-Identifier: Apache-2.0
 *
 * Two subsystems each set their own bit when they are ready, and main spins until both are set. Setting a bit is a
 * load and a store: both load 0, one stores 1, the other stores 2. The first bit is lost, nobody will set it again,
 * and main spins for ever.
 *
 * verdict: hang
 * threads: 3
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int ready;

static void *subsystem(void *arg)
{
  int bit = *(int *)arg;

#ifdef FIXED
  atomic_fetch_or(&ready, bit);
#else
  int old = atomic_load(&ready);
  atomic_store(&ready, old | bit);
#endif
  return NULL;
}

int main(void)
{
  pthread_t a, b;
  int bit[2] = {1, 2};

  pthread_create(&a, NULL, subsystem, &bit[0]);
  pthread_create(&b, NULL, subsystem, &bit[1]);
  while (ready != 3)
    sched_yield();
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
