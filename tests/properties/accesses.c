/* SPDX-License-Identifier: Apache-2.0
 *
 * ReadyFirst: the result is read before it is said to be ready, or after it was written but not yet said to be. Each
 * access is atomic, so that there is no race. Fixed: who reads looks whether it is ready. */
#include <pthread.h>
#include <stdatomic.h>

static struct {
  _Atomic int ready, value;
} result;

static void *producer(void *unused)
{
  atomic_store(&result.value, 1);
  atomic_store(&result.ready, 1);
  return unused;
}

int main(void)
{
  pthread_t thread;
  int value = 0;
  pthread_create(&thread, NULL, producer, NULL);
#ifdef FIXED
  if (atomic_load(&result.ready))
#endif
    value = atomic_load(&result.value);
  pthread_join(thread, NULL);
  return value == 2;
}
