/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads read a file of the system that nobody changes.
 *
 * verdict: complete
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *reader(void *unused)
{
  (void)unused;
  char byte;
  int fd = open("/etc/passwd", O_RDONLY);
  assert(fd >= 0);
  assert(read(fd, &byte, 1) == 1);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, reader, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
