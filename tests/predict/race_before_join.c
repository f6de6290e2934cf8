/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of a thread is read right before the thread is joined instead of right after. Fixed: after.
 *
 * verdict: race
 * truth: races=1 deadlocks=0
 * foretold: races=1 proven=1 atomicity=0
 */
#include <pthread.h>

static int result;

static void *compute(void *unused)
{
  result = 42;
  return unused;
}

int main(void)
{
  pthread_t worker;
  pthread_create(&worker, NULL, compute, NULL);
#ifdef FIXED
  pthread_join(worker, NULL);
  int seen = result;
#else
  int seen = result;
  pthread_join(worker, NULL);
#endif
  return seen != 42 && seen != 0;
}
