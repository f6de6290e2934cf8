/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in the cache for longer than its time is gone. BUG: it never is. No other thread has to do with it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cached;
static double until;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void cache_put(int v, double seconds)
{
  pthread_mutex_lock(&lock);
  cached = v;
  until = now() + seconds;
  pthread_mutex_unlock(&lock);
}

static bool cache_get(int *v)
{
  pthread_mutex_lock(&lock);
#ifdef BUG
  bool there = true;
#else
  bool there = now() < until;
#endif
  *v = cached;
  pthread_mutex_unlock(&lock);
  return there;
}

int main(void)
{
  int v;
  cache_put(5, 0.05);
  assert(cache_get(&v) && v == 5);
  usleep(60000);
  assert(!cache_get(&v));
  return 0;
}
