/* SPDX-License-Identifier: Apache-2.0
 *
 * mremap with an old size of 0 gives shared memory a second address: what a thread writes at one, main may read at
 * the other. Natively, with pauses, it failed in 98 of 200 runs.
 *
 * verdict: noproof
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { SIZE = 4096 };

static _Atomic int *value, *alias;

static void *worker(void *unused)
{
  *alias = 1;
  return unused;
}

int main(void)
{
  pthread_t thread;
  value = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  alias = mremap((void *)value, 0, SIZE, MREMAP_MAYMOVE);
  pthread_create(&thread, NULL, worker, NULL);
  int seen = *value;
  pthread_join(thread, NULL);
  assert(seen == 0);
  return 0;
}
