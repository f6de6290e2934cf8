/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread ends with a robust mutex in its hands; the next one repairs it.
 *
 * verdict: complete
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *careless(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  return NULL;
}

int main(void)
{
  pthread_mutexattr_t kind;
  pthread_t thread;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &kind);
  pthread_create(&thread, NULL, careless, NULL);
  pthread_join(thread, NULL);
  assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  assert(pthread_mutex_consistent(&mutex) == 0);
  assert(pthread_mutex_unlock(&mutex) == 0);
  return 0;
}
