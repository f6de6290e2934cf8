/* SPDX-License-Identifier: Apache-2.0
 *
 * Two flags side by side in one word; main's reading of the second one decides whether the program ends. Natively,
 * with pauses, it failed in 37 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static struct {
  atomic_char asked, answered;
} flags;

static void *worker(void *unused)
{
  (void)unused;
  if (atomic_load(&flags.asked))
    atomic_store(&flags.answered, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  atomic_store(&flags.asked, 1);
  if (!atomic_load(&flags.answered))
    return 0;
  assert(!"answered at once");
}
