/* SPDX-License-Identifier: Apache-2.0
 *
 * srandom in one thread restarts the sequence another thread is in the middle of. Natively, with pauses, it failed in
 * 118 of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *restart(void *unused)
{
  (void)unused;
  srandom(1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  srandom(1);
  long first = random();
  pthread_create(&thread, NULL, restart, NULL);
  long second = random();
  pthread_join(thread, NULL);
  assert(second != first);
  return 0;
}
