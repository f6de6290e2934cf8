/* SPDX-License-Identifier: Apache-2.0
 *
 * open is a cancellation point: a cancelled thread may end there. Natively, with pauses, it failed in 81 of 200 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int is_done;

static void *worker(void *unused)
{
  open("/dev/null", O_RDONLY);
  is_done = 1;
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
