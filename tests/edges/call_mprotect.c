/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread seals a page while the other still writes to it. Natively, with pauses, it failed in 286 of 1000 runs.
 *
 * verdict: noproof
 * kind: crash
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static volatile char *page;

static void *sealer(void *unused)
{
  (void)unused;
  mprotect((void *)page, 4096, PROT_READ);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  page[0] = 1;
  pthread_create(&thread, NULL, sealer, NULL);
  page[0] = 2;
  pthread_join(thread, NULL);
  return 0;
}
