/* SPDX-License-Identifier: Apache-2.0
 *
 * Code that the program makes at run time stores into shared memory.
 *
 * verdict: noproof
 * expect-text: (generated code)
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

static int shared;
static void (*store)(int *);

static void *worker(void *unused)
{
  store(&shared);
  return unused;
}

int main(void)
{
  static const unsigned char code[] = {0xc7, 0x07, 1, 0, 0, 0, 0xc3}; /* movl $1, (%rdi); ret */
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page, code, sizeof code);
  mprotect(page, 4096, PROT_READ | PROT_EXEC);
  store = (void (*)(int *))page;
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  int seen = __atomic_load_n(&shared, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  assert(seen == 0);
  return 0;
}
