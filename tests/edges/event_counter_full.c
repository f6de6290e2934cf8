/* SPDX-License-Identifier: Apache-2.0
 *
 * A write that an event counter has no room for waits for a reader. The only reader comes once, main fills the
 * counter twice: the last write waits for ever.
 *
 * verdict: find
 * kind: deadlock
 */
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>

static int counter;

static void *reader(void *unused)
{
  eventfd_t value;
  eventfd_read(counter, &value);
  return unused;
}

int main(void)
{
  pthread_t thread;
  counter = eventfd(0, 0);
  eventfd_write(counter, UINT64_MAX - 1);
  pthread_create(&thread, NULL, reader, NULL);
  eventfd_write(counter, 1);
  eventfd_write(counter, UINT64_MAX - 1);
  pthread_join(thread, NULL);
  return 0;
}
