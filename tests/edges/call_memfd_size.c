/* SPDX-License-Identifier: Apache-2.0
 *
 * A memory file grows in one thread; the other takes its size for final. Natively, with pauses, it failed in 251 of
 * 1000 runs.
 *
 * verdict: noproof
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static int fd;

static void *grower(void *unused)
{
  (void)unused;
  write(fd, "more", 4);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  fd = memfd_create("edge", 0);
  pthread_create(&thread, NULL, grower, NULL);
  long size = lseek(fd, 0, SEEK_END);
  pthread_join(thread, NULL);
  assert(size == 0);
  return 0;
}
