/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock of a stream protects a variable; either thread may be the first to take it.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int ready;

static void *look(void *unused)
{
  flockfile(stderr);
  assert(ready);
  funlockfile(stderr);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, look, NULL);
  flockfile(stderr);
  ready = 1;
  funlockfile(stderr);
  pthread_join(thread, NULL);
  return 0;
}
