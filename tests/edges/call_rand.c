/* SPDX-License-Identifier: Apache-2.0
 *
 * A test seeds rand for a sequence it knows, but another thread takes numbers out of the same sequence. Natively, with
 * pauses, it failed in 347 of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *other(void *unused)
{
  (void)unused;
  rand();
  return NULL;
}

int main(void)
{
  pthread_t thread;
  srand(1);
  rand();
  int second = rand();
  srand(1);
  pthread_create(&thread, NULL, other, NULL);
  rand();
  int again = rand();
  pthread_join(thread, NULL);
  assert(again == second);
  return 0;
}
