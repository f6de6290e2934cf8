/* SPDX-License-Identifier: Apache-2.0
 *
 * Three threads, each of which acts only if the one before did; main ends the process before the last has run. Not
 * seen in 300 native runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second, third;

static void *one(void *unused)
{
  (void)unused;
  if (atomic_load(&first))
    atomic_store(&second, 1);
  return NULL;
}

static void *two(void *unused)
{
  (void)unused;
  if (atomic_load(&second))
    atomic_store(&third, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, two, NULL);
  pthread_create(&thread, NULL, one, NULL);
  atomic_store(&first, 1);
  int reached = atomic_load(&third);
  assert(!reached);
  return 0;
}
