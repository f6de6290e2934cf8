/* SPDX-License-Identifier: Apache-2.0
 *
 * Main spins with sched_yield until the worker is through.
 *
 * verdict: complete
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

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
  while (!atomic_load(&done))
    sched_yield();
  pthread_join(thread, NULL);
  return 0;
}
