/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread ends the process as soon as it sees the flag; if it looked before, it meets the second flag unprepared.
 * Natively, with pauses, it failed in 4 of 600 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int stop, closed;

static void *worker(void *unused)
{
  (void)unused;
  if (atomic_load(&stop))
    exit(0);
  assert(!atomic_load(&closed));
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  atomic_store(&stop, 1);
  atomic_store(&closed, 1);
  return 0;
}
