/* SPDX-License-Identifier: Apache-2.0
 *
 * main deletes a key while a thread ends that has a value for it: whether the destructor is called depends on who comes first, and here it must not be.
 *
 * verdict: found
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_key_t key;
static atomic_int destroyed;
static sem_t has_value;

static void destroy(void *value)
{
  destroyed += value != NULL;
}

static void *keep(void *value)
{
  pthread_setspecific(key, value);
  sem_post(&has_value);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  sem_init(&has_value, 0, 0);
  pthread_key_create(&key, destroy);
  pthread_create(&thread, NULL, keep, &key);
  sem_wait(&has_value);
  pthread_key_delete(key);
  pthread_join(thread, NULL);
  assert(destroyed == 0);
  return 0;
}
