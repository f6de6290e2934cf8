/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads take a mutex by trying; each counts its attempts.
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
  int attempts = 0;
  while (pthread_mutex_trylock(&mutex) != 0)
    attempts++;
  count++;
  pthread_mutex_unlock(&mutex);
  return (void *)(long)attempts;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(count == 2);
  return 0;
}
