/* SPDX-License-Identifier: Apache-2.0
 *
 * The tray is said to be free before the plate on it is taken.
 * tell: bug +something is given free before it has been used: T2 writes `full` at \S+ before it reads `plate` at
 * tell: fix +T2 must read `plate` first and write `full` after that
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int full;
static int plate;

static void *serve(void *arg)
{
  for (int i = 1; i <= 2; i++) {
    if (atomic_load(&full))
      break;
    plate = i;
    atomic_store(&full, 1);
  }
  return arg;
}

static void *eat(void *arg)
{
  if (!atomic_load(&full))
    return arg;
#ifdef FIXED
  int meal = plate;
  atomic_store(&full, 0);
#else
  atomic_store(&full, 0);
  int meal = plate;
#endif
  assert(meal == 1);
  return arg;
}

int main(void)
{
  pthread_t waiter, guest;
  pthread_create(&waiter, NULL, serve, NULL);
  pthread_create(&guest, NULL, eat, NULL);
  pthread_join(waiter, NULL);
  pthread_join(guest, NULL);
}
