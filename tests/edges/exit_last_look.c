/* SPDX-License-Identifier: Apache-2.0
 *
 * Main's last read decides whether the process ends: if the worker was quicker, main goes on to a wrong place.
 * Natively, with pauses, it failed in 67 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

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
  if (!atomic_load(&done))
    return 0;
  assert(!"not prepared for a quick worker");
}
