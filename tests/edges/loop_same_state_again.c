/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock is taken and released sixty thousand times; memory looks the same every time, but a counter in a register
 * goes on.
 *
 * verdict: quiet
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int busy;

static void *worker(void *unused)
{
  (void)unused;
  for (int i = 0; i < 60000; i++) {
    pthread_mutex_lock(&mutex);
    busy = 1;
    busy = 0;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return busy;
}
