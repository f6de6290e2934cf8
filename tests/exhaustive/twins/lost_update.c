/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that begin alike: all look, then each writes what it saw and one more. They stay the same until the first
 * write. A counter of an execution that was left out would be missing from the output.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int count;

static void *increment(void *unused)
{
  atomic_store(&count, atomic_load(&count) + 1);
  return unused;
}

int main(void)
{
  pthread_t thread[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&thread[i], NULL, increment, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(thread[i], NULL);
  printf("%d\n", count);
}
