/* SPDX-License-Identifier: Apache-2.0
 *
 * A random number is seeded from the time stamp counter, and every number is right.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int count;

static void *worker(void *unused)
{
  (void)unused;
  if (__builtin_ia32_rdtsc() >> 8 & 1)
    atomic_fetch_add(&count, 2);
  else
    atomic_fetch_add(&count, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  int total = atomic_load(&count);
  assert(total >= 2 && total <= 4);
  return 0;
}
