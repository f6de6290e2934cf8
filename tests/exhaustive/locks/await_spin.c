/* SPDX-License-Identifier: Apache-2.0
 *
 * A chain of three threads: each spins until the one before has added its part. BROKEN: the last one waits for the
 * first only.
 *
 * broken: assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static atomic_int stage[3], sum;

static void *link(void *arg)
{
  int me = (int)(intptr_t)arg, before = me - 1;

#ifdef BROKEN
  if (me == 2)
    before = 0;
#endif
  while (before >= 0 && !atomic_load(&stage[before]))
    ;
  int old = atomic_load(&sum);
  assert(old == me * 10);
  atomic_store(&sum, old + 10);
  atomic_store(&stage[me], 1);
  return NULL;
}

int main(void)
{
  pthread_t t[3];

  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, link, (void *)(intptr_t)i);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  printf("sum=%d\n", sum);
  return 0;
}
