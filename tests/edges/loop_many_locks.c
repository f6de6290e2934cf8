/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads lock and unlock thirty thousand times each: long, but it ends.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *unused)
{
  (void)unused;
  for (int i = 0; i < 30000; i++) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(count == 60000);
  return 0;
}
