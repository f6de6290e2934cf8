/* SPDX-License-Identifier: Apache-2.0
 *
 * The floating-point environment is each thread's own, inherited from its creator.
 * verdict: none
 */
#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static void *work(void *arg)
{
  fesetround(FE_UPWARD);
  sched_yield();
  assert(fegetround() == FE_UPWARD);
  return arg;
}

int main(void)
{
  pthread_t thread;
  fesetround(FE_DOWNWARD);
  pthread_create(&thread, NULL, work, NULL);
  sched_yield();
  assert(fegetround() == FE_DOWNWARD);
  pthread_join(thread, NULL);
  return 0;
}
