/* SPDX-License-Identifier: Apache-2.0
 *
 * The thread ends the process if it does not see the flag; if it does, it goes on and fails. Natively, with pauses, it
 * failed in 256 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int flag;

static void *worker(void *unused)
{
  (void)unused;
  if (!atomic_load(&flag))
    exit(0);
  assert(!"the flag was set");
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  atomic_store(&flag, 1);
  pthread_join(thread, NULL);
  return 0;
}
