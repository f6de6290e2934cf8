/* SPDX-License-Identifier: Apache-2.0
 *
 * As with exit, but by _exit: main can see the note between it and the end of the process. Natively, with pauses, it
 * failed in 17 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int ending;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&ending, 1);
  _exit(0);
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  assert(!atomic_load(&ending));
  pthread_join(thread, NULL);
  return 0;
}
