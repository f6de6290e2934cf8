/* SPDX-License-Identifier: Apache-2.0
 *
 * Two values that belong together, each read atomically, but not both at once.
 * tell: bug +two values that belong together are read apart: T\d reads `low` at \S+ and `high` at
 * tell: fix +read both under one lock that the writer holds, too
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t sky = PTHREAD_MUTEX_INITIALIZER;
static atomic_int low = 1, high = 2;

static void *measure(void *arg)
{
  pthread_mutex_lock(&sky);
  atomic_store(&low, 11);
  atomic_store(&high, 12);
  pthread_mutex_unlock(&sky);
  return arg;
}

static void *report(void *arg)
{
#ifdef FIXED
  pthread_mutex_lock(&sky);
#endif
  int l = atomic_load(&low);
  int h = atomic_load(&high);
#ifdef FIXED
  pthread_mutex_unlock(&sky);
#endif
  assert(h - l == 1);
  return arg;
}

int main(void)
{
  pthread_t station, radio;
  pthread_create(&station, NULL, measure, NULL);
  pthread_create(&radio, NULL, report, NULL);
  pthread_join(station, NULL);
  pthread_join(radio, NULL);
}
