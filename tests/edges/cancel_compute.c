/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that computes for ever without a cancellation point is cancelled asynchronously. No failure in 250 native
 * runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>

static void *worker(void *unused)
{
  (void)unused;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (volatile unsigned i = 0;; i++)
    ;
  return NULL;
}

int main(void)
{
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
  return 0;
}
