/* SPDX-License-Identifier: Apache-2.0
 *
 * A counter that one of its users adds to without its lock. The lock has functions of its own, which the pattern of the
 * test names, too: without them every use would be wrong, so they must stay.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#define THREADS 5
#define CALLS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value, expected;

__attribute__((noinline)) static void counter_lock(void)
{
  pthread_mutex_lock(&lock);
}

__attribute__((noinline)) static void counter_unlock(void)
{
  pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void counter_add(int n)
{
  value += n;
}

static void *work(void *arg)
{
  bool careless = false;
#ifndef FIXED
  careless = (long)arg == 3;
#endif
  for (int i = 0; i < CALLS; i++) {
    if (!careless)
      counter_lock();
    counter_add(1);
    if (!careless)
      counter_unlock();
  }
  return arg;
}

int main(void)
{
  pthread_t thread[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  expected = value;
  assert(expected % CALLS == 0);
  return 0;
}
