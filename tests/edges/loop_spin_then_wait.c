/* SPDX-License-Identifier: Apache-2.0
 *
 * An adaptive wait: so many looks at the flag, then the condition variable.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *worker(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  atomic_store(&ready, 1);
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  for (int i = 0; i < 20 && !atomic_load(&ready); i++)
    ;
  pthread_mutex_lock(&mutex);
  while (!atomic_load(&ready))
    pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
