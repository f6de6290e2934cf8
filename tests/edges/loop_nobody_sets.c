/* SPDX-License-Identifier: Apache-2.0
 *
 * Main waits for a flag that the worker sets only if it saw main's; with the other order nobody ever sets it.
 * Natively, with pauses, 5 of 58 runs hung.
 *
 * verdict: noproof
 * kind: hang
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int asked, answered;

static void *worker(void *unused)
{
  (void)unused;
  if (atomic_load(&asked))
    atomic_store(&answered, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  atomic_store(&asked, 1);
  while (!atomic_load(&answered))
    sched_yield();
  pthread_join(thread, NULL);
  return 0;
}
