/* SPDX-License-Identifier: Apache-2.0
 *
 * Main returns a counter that the worker may still increment: the exit status depends on the schedule. Natively, with
 * pauses, it failed in 3 of 300 runs.
 *
 * verdict: noproof
 * kind: exit
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int failures;

static void *worker(void *unused)
{
  (void)unused;
  atomic_fetch_add(&failures, 1);
  atomic_fetch_sub(&failures, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  return atomic_load(&failures);
}
