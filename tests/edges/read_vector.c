/* SPDX-License-Identifier: Apache-2.0
 *
 * preadv and writev with several buffers, some of them empty.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static char text[1 << 16];
static int fd;

static void *writer(void *unused)
{
  (void)unused;
  struct iovec part[3] = {{"abc", 3}, {NULL, 0}, {"defg", 4}};
  assert(writev(fd, part, 3) == 7);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  struct iovec part[2] = {{text + 20000, 4}, {text + 50000, 100}};
  fd = open("vector", O_CREAT | O_TRUNC | O_RDWR, 0600);
  pthread_create(&thread, NULL, writer, NULL);
  pthread_join(thread, NULL);
  assert(preadv(fd, part, 2, 0) == 7);
  assert(memcmp(text + 20000, "abcd", 4) == 0 && memcmp(text + 50000, "efg", 3) == 0);
  close(fd);
  unlink("vector");
  return 0;
}
