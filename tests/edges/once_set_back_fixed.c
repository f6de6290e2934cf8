/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done once is set back, so that it is done again, under the mutex under which two threads come for it.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_there;

static void set_up(void)
{
  is_there = true;
}

static void *use(void *unused)
{
  pthread_mutex_lock(&mutex);
  pthread_once(&once, set_up);
  assert(is_there);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void)
{
  pthread_t first, second;
  pthread_create(&first, NULL, use, NULL);
  pthread_create(&second, NULL, use, NULL);
  pthread_mutex_lock(&mutex);
  once = (pthread_once_t)PTHREAD_ONCE_INIT;
  is_there = false;
  pthread_mutex_unlock(&mutex);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
