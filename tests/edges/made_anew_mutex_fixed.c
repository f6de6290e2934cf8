/* SPDX-License-Identifier: Apache-2.0
 *
 * Whichever of two threads comes first makes the mutex that both use; the other one waits for that.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex;
static pthread_once_t first = PTHREAD_ONCE_INIT;
static int counter;

static void make(void)
{
  pthread_mutex_init(&mutex, NULL);
}

static void *count(void *unused)
{
  pthread_once(&first, make);
  pthread_mutex_lock(&mutex);
  counter++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void)
{
  pthread_t other;
  pthread_create(&other, NULL, count, NULL);
  count(NULL);
  pthread_join(other, NULL);
  assert(counter == 2);
  return 0;
}
