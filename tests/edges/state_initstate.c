/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread gives random() another state.
 *
 * verdict: find
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char state[64];

static void *work(void *unused)
{
  initstate(99, state, sizeof state);
  return unused;
}

int main(void)
{
  pthread_t thread;
  srandom(7);
  long first = random();
  srandom(7);
  pthread_create(&thread, NULL, work, NULL);
  long again = random();
  pthread_join(thread, NULL);
  assert(first == again);
  return 0;
}
