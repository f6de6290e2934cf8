/* SPDX-License-Identifier: Apache-2.0
 *
 * The thread notes that it ends the process and then calls exit: main can see the note while the process still lives.
 * Natively, with pauses, it failed in 79 of 1000 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int ending;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&ending, 1);
  exit(0);
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  assert(!atomic_load(&ending));
  pthread_join(thread, NULL);
  return 0;
}
