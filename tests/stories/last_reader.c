/* SPDX-License-Identifier: Apache-2.0
 *
 * A page is dropped by counting down and then reading the counter: both readers see zero, and both free it.
 * tell: ✗ double free
 * tell: bug +a counter is changed and tested in two steps: T\d counts `page.readers` down at
 * tell: fix +one step: test what the decrement itself returns
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct page {
  atomic_int readers;
  char *text;
};

static atomic_int dropped;

static void *read_page(void *arg)
{
  struct page *page = arg;
#ifdef FIXED
  if (atomic_fetch_sub(&page->readers, 1) == 1)
#else
  atomic_fetch_sub(&page->readers, 1);
  if (atomic_load(&page->readers) == 0)
#endif
  {
    atomic_fetch_add(&dropped, 1);
    free(page->text);
  }
  return NULL;
}

int main(void)
{
  static struct page page;
  pthread_t first, second;
  page.text = malloc(8);
  atomic_init(&page.readers, 2);
  pthread_create(&first, NULL, read_page, &page);
  pthread_create(&second, NULL, read_page, &page);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}
