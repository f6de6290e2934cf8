/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that waits for a condition is signalled and cancelled before it can have its mutex: which of the two it notices
 * is anybody's guess.
 *
 * verdict: found
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool waits, ready;

static void give_back(void *taken)
{
  pthread_mutex_unlock(taken);
}

static void *waiter(void *unused)
{
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(give_back, &mutex);
  waits = true;
  while (!ready)
    pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}

int main(void)
{
  pthread_t thread;
  void *result = NULL;
  pthread_create(&thread, NULL, waiter, NULL);
  pthread_mutex_lock(&mutex);
  ready = true;
  pthread_cond_signal(&condition);
  if (waits)
    pthread_cancel(thread);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, &result);
  assert(result == NULL);
  return 0;
}
