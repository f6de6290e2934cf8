/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that came to a semaphore is cancelled there, and then the semaphore is posted: it may still take what there
 * is, and end without having noticed, as it asks for cancellation before it looks at the semaphore.
 *
 * verdict: found
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
  int left = 0;
  sem_init(&slots, 0, 0);
  pthread_create(&thread, NULL, waiter, NULL);
  pthread_cancel(thread);
  sem_post(&slots);
  pthread_join(thread, NULL);
  sem_getvalue(&slots, &left);
  assert(left == 1);
  return 0;
}
