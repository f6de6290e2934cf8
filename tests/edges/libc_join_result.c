/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of a thread is left in a variable at which main looks.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>

static pthread_t worker;
static void *result;

static void *one(void *unused)
{
  (void)unused;
  return (void *)1;
}

static void *work(void *unused)
{
  pthread_join(worker, &result);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&worker, NULL, one, NULL);
  pthread_create(&thread, NULL, work, NULL);
  void *seen = __atomic_load_n(&result, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  assert(!seen);
  return 0;
}
