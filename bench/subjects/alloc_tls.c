/* SPDX-License-Identifier: Apache-2.0
 *
 * Three threads and main: two mutexes always taken in the same order, heap blocks, thread-local storage. Correct.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;
static int *shared;
static __thread int own;

static void add(void)
{
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  x++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
}

static void *with_heap(void *unused)
{
  own++;
  assert(own == 1);
  int *block = malloc(40);
  block[0] = own;
  pthread_mutex_lock(&a);
  x += block[0];
  (*shared)++;
  pthread_mutex_unlock(&a);
  free(block);
  add();
  return unused;
}

static void *without_heap(void *unused)
{
  own++;
  assert(own == 1);
  add();
  return unused;
}

int main(void)
{
  pthread_t t[3];
  shared = calloc(1, sizeof *shared);
  pthread_create(&t[0], NULL, with_heap, NULL);
  pthread_create(&t[1], NULL, with_heap, NULL);
  pthread_create(&t[2], NULL, without_heap, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  assert(x == 5 && *shared == 2);
  free(shared);
  return 0;
}
