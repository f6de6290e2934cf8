/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads draw numbers from one seed of the program's own, under a mutex: whose the first one is depends on who
 * comes first.
 *
 * verdict: found
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned seed = 1;

static void *draw(void *unused)
{
  pthread_mutex_lock(&mutex);
  rand_r(&seed);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void)
{
  unsigned same = 1;
  int first = rand_r(&same);
  pthread_t thread;
  pthread_create(&thread, NULL, draw, NULL);
  pthread_mutex_lock(&mutex);
  int number = rand_r(&seed);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  assert(number == first);
  return 0;
}
