/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads open one FIFO, one to write and one to read; each open waits for the other.
 *
 * verdict: complete
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void *writer(void *unused)
{
  (void)unused;
  int fd = open("between", O_WRONLY);
  assert(fd >= 0);
  assert(write(fd, "ab", 2) == 2);
  close(fd);
  return NULL;
}

static void *reader(void *unused)
{
  (void)unused;
  char text[4];
  long total = 0, count;
  int fd = open("between", O_RDONLY);
  assert(fd >= 0);
  while ((count = read(fd, text, sizeof text)) > 0)
    total += count;
  assert(total == 2);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  unlink("between");
  assert(mkfifo("between", 0600) == 0);
  pthread_create(&thread[0], NULL, writer, NULL);
  pthread_create(&thread[1], NULL, reader, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  unlink("between");
  return 0;
}
