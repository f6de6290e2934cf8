/* SPDX-License-Identifier: Apache-2.0
 *
 * fopen may be a cancellation point, and is one in the GNU C library, by the open within. Natively, with pauses, it
 * failed in 80 of 200 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int is_done;

static void *worker(void *unused)
{
  FILE *file = fopen("/dev/null", "w");
  is_done = 1;
  fclose(file);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  assert(is_done);
  return 0;
}
