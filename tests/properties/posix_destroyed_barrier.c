/* SPDX-License-Identifier: Apache-2.0
 *
 * DestroyedBarrier: main destroys a barrier that a late thread has yet to come to. Fixed: it waits for it. */
#include <pthread.h>

static pthread_barrier_t start;

static void *late(void *unused)
{
  pthread_barrier_wait(&start);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_barrier_init(&start, NULL, 1);
  pthread_create(&thread, NULL, late, NULL);
#ifdef FIXED
  pthread_join(thread, NULL);
  pthread_barrier_destroy(&start);
#else
  pthread_barrier_destroy(&start);
  pthread_join(thread, NULL);
#endif
  return 0;
}
