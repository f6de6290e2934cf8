/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads add to an eventfd, main reads until it has both. No failure in 250 native runs with pauses.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event;

static void *adder(void *unused)
{
  (void)unused;
  uint64_t one = 1;
  assert(write(event, &one, sizeof one) == sizeof one);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  uint64_t sum = 0, value;
  event = eventfd(0, 0);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, adder, NULL);
  while (sum < 2) {
    assert(read(event, &value, sizeof value) == sizeof value);
    sum += value;
  }
  assert(sum == 2);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
