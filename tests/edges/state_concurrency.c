/* SPDX-License-Identifier: Apache-2.0
 *
 * The level of concurrency is one for all threads; it is no race to ask for it.
 *
 * verdict: find
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static void *work(void *unused)
{
  pthread_setconcurrency(3);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int level = pthread_getconcurrency();
  pthread_join(thread, NULL);
  assert(level == 0);
  return 0;
}
