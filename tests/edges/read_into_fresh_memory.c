/* SPDX-License-Identifier: Apache-2.0
 *
 * A read goes into pages that were mapped a moment ago and never touched.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused)
{
  (void)unused;
  write(ends[1], "hello", 5);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  assert(pipe(ends) == 0);
  pthread_create(&thread, NULL, writer, NULL);
  pthread_join(thread, NULL);
  char *fresh = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(read(ends[0], fresh + 4094, 1 << 19) == 5);
  assert(memcmp(fresh + 4094, "hello", 5) == 0);
  munmap(fresh, 1 << 20);
  return 0;
}
