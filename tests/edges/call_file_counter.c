/* SPDX-License-Identifier: Apache-2.0
 *
 * A counter in a file is read, incremented and written back by two threads: one update is lost. Natively, with pauses,
 * it failed in 311 of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int fd;

static void *worker(void *unused)
{
  (void)unused;
  int count = 0;
  pread(fd, &count, sizeof count, 0);
  count++;
  pwrite(fd, &count, sizeof count, 0);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  int count = 0;
  fd = open("counter", O_CREAT | O_TRUNC | O_RDWR, 0600);
  pwrite(fd, &count, sizeof count, 0);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  pread(fd, &count, sizeof count, 0);
  close(fd);
  unlink("counter");
  assert(count == 2);
  return 0;
}
