/* SPDX-License-Identifier: Apache-2.0
 *
 * The comparison functions of two sorts count their calls in one place, load and store: counts are lost. Natively,
 * with pauses, it failed in 66 of 1000 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int calls;

static int compare(const void *a, const void *b)
{
  atomic_store(&calls, atomic_load(&calls) + 1);
  return *(const int *)a - *(const int *)b;
}

static void *sort(void *unused)
{
  (void)unused;
  int value[2] = {2, 1};
  qsort(value, 2, sizeof value[0], compare);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, sort, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(atomic_load(&calls) == 2);
  return 0;
}
