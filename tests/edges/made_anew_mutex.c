/* SPDX-License-Identifier: Apache-2.0
 *
 * Whichever of two threads comes first makes the mutex that both use, which is zero and as good as made until then. The
 * other one does not wait for that, so it may have locked it already.
 *
 * verdict: found
 * kind: property
 * expect-text: initialises a mutex that is locked
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex;
static atomic_flag first = ATOMIC_FLAG_INIT;
static int counter;

static void *count(void *unused)
{
  if (!atomic_flag_test_and_set(&first))
    pthread_mutex_init(&mutex, NULL);
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
