/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread writes a file, the other looks at its shared mapping. Natively, with pauses, it failed in 204 of 1000
 * runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static int fd;

static void *writer(void *unused)
{
  (void)unused;
  pwrite(fd, "y", 1, 0);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  fd = open("mapped", O_CREAT | O_TRUNC | O_RDWR, 0600);
  pwrite(fd, "x", 1, 0);
  volatile char *view = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
  pthread_create(&thread, NULL, writer, NULL);
  char seen = view[0];
  pthread_join(thread, NULL);
  unlink("mapped");
  assert(seen == 'x');
  return 0;
}
