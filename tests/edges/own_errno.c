/* SPDX-License-Identifier: Apache-2.0
 *
 * errno is zero when main begins, and when a thread begins.
 *
 * verdict: complete
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static void *worker(void *unused)
{
  (void)unused;
  assert(errno == 0);
  errno = 5;
  return NULL;
}

int main(void)
{
  assert(errno == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  assert(errno == 0);
  return 0;
}
