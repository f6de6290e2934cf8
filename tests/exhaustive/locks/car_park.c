/* SPDX-License-Identifier: Apache-2.0
 *
 * A car park: each car waits in a loop until a space is free, takes one, and leaves again. Cars that wait watch what
 * others change, so a search that is divided loses classes as soon as somebody forgets what they watch. BROKEN: to take a
 * space is a load and a store, so two cars can take the same one.
 *
 * broken: assertion
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef CARS
#define CARS 3
#endif
#define SPACES 1

static atomic_int spaces = SPACES, parked;

static int take(int free)
{
#ifdef BROKEN
  atomic_store(&spaces, free - 1);
  return 1;
#else
  return atomic_compare_exchange_strong(&spaces, &free, free - 1);
#endif
}

static void *car(void *arg)
{
  for (;;) {
    int free = atomic_load(&spaces);
    if (free == 0)
      sched_yield();
    else if (take(free))
      break;
  }
  assert(atomic_fetch_add(&parked, 1) < SPACES);
  atomic_fetch_sub(&parked, 1);
  atomic_fetch_add(&spaces, 1);
  return arg;
}

int main(void)
{
  pthread_t cars[CARS];
  for (int i = 0; i < CARS; i++)
    pthread_create(&cars[i], NULL, car, NULL);
  for (int i = 0; i < CARS; i++)
    pthread_join(cars[i], NULL);
  return 0;
}
