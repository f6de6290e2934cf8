/* SPDX-License-Identifier: Apache-2.0
 *
 * The same at a barrier that would never open. No failure in 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;

static void *worker(void *unused)
{
  (void)unused;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_barrier_wait(&barrier);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  void *result;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
  return 0;
}
