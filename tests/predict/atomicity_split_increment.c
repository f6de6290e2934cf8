/* SPDX-License-Identifier: Apache-2.0
 *
 * An increment in two sections of the same lock: read, then write. No data race, and one of two increments can be lost.
 * Fixed: one section.
 *
 * verdict: assertion
 * truth: races=0 deadlocks=0 atomicity=1
 * foretold: races=0 proven=0 atomicity=1
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *increment(void *unused)
{
  pthread_mutex_lock(&lock);
  int seen = counter;
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  counter = seen + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, increment, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(counter == 2);
  return 0;
}
