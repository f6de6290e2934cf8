/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of which a snapshot is taken without the lock: it may be torn. The snapshot is filled in for its caller, and
 * the result of a reader is asked for by main: neither can be left out, only writers.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define WRITERS 5
#define CALLS 5

struct stats {
  int calls, bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stats stats;

__attribute__((noinline)) static void stats_add(int times)
{
  pthread_mutex_lock(&lock);
  stats.calls += times;
  stats.bytes += 8 * times;
  pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void stats_get(struct stats *out)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  out->calls = stats.calls;
  out->bytes = stats.bytes;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
}

static void *write_some(void *arg)
{
  for (int i = 0; i < CALLS; i++)
    stats_add(i + 1);
  return arg;
}

static void *read_some(void *arg)
{
  struct stats seen;
  (void)arg;
  stats_get(&seen);
  return (void *)(long)(seen.bytes - 8 * seen.calls);
}

int main(void)
{
  pthread_t writer[WRITERS], reader;
  void *torn;
  for (int i = 0; i < WRITERS; i++)
    pthread_create(&writer[i], NULL, write_some, NULL);
  pthread_create(&reader, NULL, read_some, NULL);
  for (int i = 0; i < WRITERS; i++)
    pthread_join(writer[i], NULL);
  pthread_join(reader, &torn);
  assert(!torn);
  return 0;
}
