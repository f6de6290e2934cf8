/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread unmaps memory while the other still reads it. Natively, with pauses, it failed in 279 of 1000 runs.
 *
 * verdict: noproof
 * kind: crash
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static volatile char *page;

static void *unmapper(void *unused)
{
  (void)unused;
  munmap((void *)page, 4096);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  page[0] = 1;
  pthread_create(&thread, NULL, unmapper, NULL);
  char seen = page[0];
  pthread_join(thread, NULL);
  return seen == 1 ? 0 : 1;
}
