/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread seeds the numbers that main draws.
 *
 * verdict: find
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused)
{
  unsigned short seed[3] = {1, 2, 3};
  seed48(seed);
  return unused;
}

int main(void)
{
  pthread_t thread;
  srand48(7);
  long first = lrand48();
  srand48(7);
  pthread_create(&thread, NULL, work, NULL);
  long again = lrand48();
  pthread_join(thread, NULL);
  assert(first == again);
  return 0;
}
