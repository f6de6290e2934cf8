/* SPDX-License-Identifier: Apache-2.0
 *
 * Main leaves by pthread_exit, and one of the two threads it left behind sees the other half way. Natively, with
 * pauses, it failed in 42 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int begun, done;

static void *worker(void *unused)
{
  (void)unused;
  assert(atomic_load(&begun) == atomic_load(&done));
  atomic_fetch_add(&begun, 1);
  atomic_fetch_add(&done, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_exit(NULL);
}
