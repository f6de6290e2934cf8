/* SPDX-License-Identifier: Apache-2.0
 *
 * The same with a lock: it is correct.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

__attribute__((no_sanitize("thread"), noinline)) static void increment(void)
{
  shared++;
}

static void *worker(void *unused)
{
  pthread_mutex_lock(&mutex);
  increment();
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  worker(NULL);
  pthread_join(thread, NULL);
  assert(shared == 2);
  return 0;
}
