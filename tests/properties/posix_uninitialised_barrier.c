/* SPDX-License-Identifier: Apache-2.0
 *
 * UninitialisedBarrier: a thread may reach the barrier before main has initialised it. Fixed: it is created afterwards. */
#include <pthread.h>

static pthread_barrier_t barrier;

static void *worker(void *unused)
{
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(void)
{
  pthread_t thread;
#ifdef FIXED
  pthread_barrier_init(&barrier, NULL, 1);
  pthread_create(&thread, NULL, worker, NULL);
#else
  pthread_create(&thread, NULL, worker, NULL);
  pthread_barrier_init(&barrier, NULL, 1);
#endif
  pthread_join(thread, NULL);
  return 0;
}
