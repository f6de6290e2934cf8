/* SPDX-License-Identifier: Apache-2.0
 *
 * A sleep stands where a join should: the worker may still be on its way. Natively, with pauses, it failed in 34 of
 * 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int done;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&done, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  usleep(20);
  int seen = atomic_load(&done);
  pthread_join(thread, NULL);
  assert(seen);
  return 0;
}
