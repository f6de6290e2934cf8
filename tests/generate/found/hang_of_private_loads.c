/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop that only looks at memory nobody else uses by then: it must show again in a fresh process.
 * verdict: hang
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic int ready, other;

static void *work(void *arg)
{
  while (!ready)
    sched_yield();
  return arg;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  if (!other) {
    other = 1;
    ready = 0;
  }
  pthread_join(thread, NULL);
  return 0;
}
