/* SPDX-License-Identifier: Apache-2.0
 *
 * The program always ends with status 3; that is its way. The lost update behind it is the bug. Natively, with pauses,
 * it failed in 25 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&count, atomic_load(&count) + 1);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(atomic_load(&count) == 2);
  return 3;
}
