/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads append whole lines to a log opened with O_APPEND: no line is lost. No failure in 250 native runs with
 * pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *worker(void *line)
{
  int fd = open("append.log", O_WRONLY | O_APPEND);
  assert(write(fd, line, 4) == 4);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  int fd = open("append.log", O_CREAT | O_TRUNC | O_RDWR, 0600);
  pthread_create(&thread[0], NULL, worker, "one\n");
  pthread_create(&thread[1], NULL, worker, "two\n");
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(lseek(fd, 0, SEEK_END) == 8);
  close(fd);
  unlink("append.log");
  return 0;
}
