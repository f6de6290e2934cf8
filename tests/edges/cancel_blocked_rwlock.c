/* SPDX-License-Identifier: Apache-2.0
 *
 * The same with a read-write lock. No failure in 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *worker(void *unused)
{
  (void)unused;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  void *result;
  pthread_rwlock_wrlock(&lock);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED);
  pthread_rwlock_unlock(&lock);
  return 0;
}
