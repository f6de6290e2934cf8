/* SPDX-License-Identifier: Apache-2.0
 *
 * Built without heddle cc: the lost update is in memory accesses that nobody sees. Natively, with pauses, it failed in
 * 29 of 300 runs.
 *
 * verdict: noproof
 * build: cc
 * expect-text: memory accesses
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
  return 0;
}
