/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads sort one array, each by swapping neighbours. Without a lock, two swaps may copy an element over another
 * one. With -DFIXED each swap is a section.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ELEMENTS 3
static _Alignas(64) atomic_long element[ELEMENTS] = {3, 2, 1};
static _Alignas(64) pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void order(int i)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  long a = atomic_load(&element[i]), b = atomic_load(&element[i + 1]);
  if (a > b) {
    atomic_store(&element[i], b);
    atomic_store(&element[i + 1], a);
  }
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
}

static void *sorter(void *unused)
{
  for (int i = 0; i + 1 < ELEMENTS; i++)
    order(i);
  return unused;
}

int main(void)
{
  pthread_t t[2];
  (void)lock;
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, sorter, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  assert(element[0] + element[1] + element[2] == 6); /* none is there twice */
  return 0;
}
