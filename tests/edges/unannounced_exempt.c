/* SPDX-License-Identifier: Apache-2.0
 *
 * A function that is exempt from the compiler's instrumentation loses an update.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>

static int shared;

__attribute__((no_sanitize("thread"), noinline)) static void increment(void)
{
  shared++;
}

static void *worker(void *unused)
{
  increment();
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  increment();
  pthread_join(thread, NULL);
  assert(shared == 2);
  return 0;
}
