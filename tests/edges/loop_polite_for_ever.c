/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads make way for each other, each waiting until the other does not want: both may do so for ever. Natively,
 * with pauses, 5 of 43 runs hung.
 *
 * verdict: noproof
 * kind: hang
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int wants[2];

static void *walker(void *side)
{
  int me = (int)(long)side;
  atomic_store(&wants[me], 1);
  while (atomic_load(&wants[!me]))
    ;
  atomic_store(&wants[me], 0);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, walker, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
