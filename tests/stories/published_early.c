/* SPDX-License-Identifier: Apache-2.0
 *
 * A table is made public before its size is there. The read that fails is told though nobody has written there yet.
 * tell: T2 +\S+ +atomically reads +table->size +→ uninitialised
 * tell: bug +something is made public before it is complete: T1 writes `shared`
 * tell: fix +T1 must write `shared` last
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct table {
  atomic_int size;
} * _Atomic shared;

static void *make(void *arg)
{
  struct table *table = malloc(sizeof *table);
#ifdef FIXED
  atomic_store(&table->size, 16);
  atomic_store(&shared, table);
#else
  atomic_store(&shared, table);
  atomic_store(&table->size, 16);
#endif
  return arg;
}

static void *use(void *arg)
{
  struct table *table = atomic_load(&shared);
  if (table)
    assert(atomic_load(&table->size) == 16);
  return arg;
}

int main(void)
{
  pthread_t maker, user;
  pthread_create(&maker, NULL, make, NULL);
  pthread_create(&user, NULL, use, NULL);
  pthread_join(maker, NULL);
  pthread_join(user, NULL);
  free(shared);
}
