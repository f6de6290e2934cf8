/* SPDX-License-Identifier: Apache-2.0
 *
 * The same with a spin lock. No failure in 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;

static void *worker(void *unused)
{
  (void)unused;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_spin_lock(&lock);
  pthread_spin_unlock(&lock);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  void *result;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&lock);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
  pthread_spin_unlock(&lock);
  return 0;
}
