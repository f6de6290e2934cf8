/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks that a function of the program's own allocates, for all kinds of things: what is in them is known from the
 * pointers of those who use them.
 * tell: T\d +wrapped_allocation\.c:\d+ +writes +p->misses +← 1 +T\d's update is lost
 * tell: T\d reads `p->misses` at
 * tell: main +wrapped_allocation\.c:\d+ +reads +p->misses +→ 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct label {
  char text[24];
};

struct pool {
  struct label *label;
  long used[5];
  int hits, misses;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *allocate(size_t size)
{
  void *block = calloc(1, size);
  if (!block)
    abort();
  return block;
}

static void *look(void *arg)
{
  struct pool *p = arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  p->misses++;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  p->label->text[0] = 'p';
  return NULL;
}

int main(void)
{
  struct label *name = allocate(sizeof(struct label));
  struct pool *pool = allocate(sizeof(struct pool));
  pthread_t thread[2];
  pool->label = name;
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, look, pool);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(pool->misses == 2);
  free(pool);
  free(name);
  return 0;
}
