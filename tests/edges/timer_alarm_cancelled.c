/* SPDX-License-Identifier: Apache-2.0
 *
 * An alarm that is cancelled before anybody waits never rings.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  pthread_t thread;
  assert(alarm(100) == 0);
  unsigned left = alarm(0);
  assert(left > 0 && left <= 100);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
