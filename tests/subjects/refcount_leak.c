/* SPDX-License-Identifier: Apache-2.0
 *
 * Two owners drop their reference to a page. Both read 2, both write 1, and neither is the last, so nobody frees it.
 * Each read and each write is atomic; the decrement is not.
 *
 * verdict: leak
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
  int left = atomic_fetch_sub(&page->references, 1) - 1;
#else
  int left = atomic_load(&page->references) - 1;
  atomic_store(&page->references, left);
#endif
  if (left == 0)
    free(page);
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
  page = NULL; /* it is theirs now */
  for (int i = 0; i < 2; i++)
    pthread_join(owner[i], NULL);
  return 0;
}
