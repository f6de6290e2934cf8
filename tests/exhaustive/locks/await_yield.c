/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread leaves a value and raises a flag, two others wait for the flag and yield meanwhile. BROKEN: the flag is
 * raised first.
 *
 * broken: assertion
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag, value;

static void *giver(void *arg)
{
#ifdef BROKEN
  atomic_store(&flag, 1);
  atomic_store(&value, 42);
#else
  atomic_store(&value, 42);
  atomic_store(&flag, 1);
#endif
  return arg;
}

static void *taker(void *arg)
{
  while (!atomic_load(&flag))
    sched_yield();
  assert(atomic_load(&value) == 42);
  return arg;
}

int main(void)
{
  pthread_t t[3];

  pthread_create(&t[0], NULL, taker, NULL);
  pthread_create(&t[1], NULL, taker, NULL);
  pthread_create(&t[2], NULL, giver, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  printf("value=%d\n", value);
  return 0;
}
