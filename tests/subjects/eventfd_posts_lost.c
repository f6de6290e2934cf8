/* SPDX-License-Identifier: Apache-2.0
 *
 * An event counter is used as a semaphore: posted twice, waited for by two threads. But a read takes the whole
 * count: if both posts come before the first read, there is nothing left for the other thread. The twin asks for
 * EFD_SEMAPHORE.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event;

static void *waiter(void *arg)
{
  eventfd_t value;
  assert(eventfd_read(event, &value) == 0);
  return arg;
}

int main(void)
{
  pthread_t a, b;

#ifdef FIXED
  event = eventfd(0, EFD_SEMAPHORE);
#else
  event = eventfd(0, 0);
#endif
  pthread_create(&a, NULL, waiter, NULL);
  pthread_create(&b, NULL, waiter, NULL);
  assert(eventfd_write(event, 1) == 0);
  assert(eventfd_write(event, 1) == 0);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  close(event);
  return 0;
}
