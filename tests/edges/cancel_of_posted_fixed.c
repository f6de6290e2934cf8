/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that came to a semaphore is cancelled there, and then the semaphore is posted. Either it takes what there
 * is, or it ends as a cancelled thread and leaves it.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t slots;

static void *waiter(void *unused)
{
  sem_wait(&slots);
  return unused;
}

int main(void)
{
  pthread_t thread;
  void *result = NULL;
  int left = 0;
  sem_init(&slots, 0, 0);
  pthread_create(&thread, NULL, waiter, NULL);
  pthread_cancel(thread);
  sem_post(&slots);
  pthread_join(thread, &result);
  sem_getvalue(&slots, &left);
  assert(left == (result == PTHREAD_CANCELED));
  return 0;
}
