/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker acts only if main's flag is there already; main looks whether it acted and then the process ends. Natively,
 * with pauses, it failed in 52 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct {
  atomic_int ready;
  char apart[60];
  atomic_int done;
} * state;

static void *worker(void *unused)
{
  (void)unused;
  if (atomic_load(&state->ready))
    atomic_store(&state->done, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  state = calloc(1, sizeof *state);
  pthread_create(&thread, NULL, worker, NULL);
  atomic_store(&state->ready, 1);
  int done = atomic_load(&state->done);
  assert(!done);
  exit(0);
}
