/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that may be cancelled at any time waits for a lock main holds; main cancels it and joins it. No failure in
 * 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
  (void)unused;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  void *result;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
  pthread_mutex_unlock(&mutex);
  return 0;
}
