/* SPDX-License-Identifier: Apache-2.0
 *
 * Two owners drop their reference. The decrement is atomic, but its result is thrown away, and the count is read
 * again to see whether it is 0. Both decrement, both read 0, both free; or one frees before the other reads, and
 * that one reads freed memory.
 *
 * verdict: memory
 * also: race
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct page {
  atomic_int references;
};

static void *drop(void *arg)
{
  struct page *page = arg;

#ifdef FIXED
  if (atomic_fetch_sub(&page->references, 1) == 1)
    free(page);
#else
  atomic_fetch_sub(&page->references, 1);
  if (atomic_load(&page->references) == 0)
    free(page);
#endif
  return NULL;
}

int main(void)
{
  pthread_t owner[2];
  struct page *page = malloc(sizeof *page);

  assert(page != NULL);
  atomic_init(&page->references, 2);
  for (int i = 0; i < 2; i++)
    pthread_create(&owner[i], NULL, drop, page);
  for (int i = 0; i < 2; i++)
    pthread_join(owner[i], NULL);
  return 0;
}
