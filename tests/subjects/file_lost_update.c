/* SPDX-License-Identifier: Apache-2.0
 *
 * Bug: a counter in a file is read, raised and written back by two threads, each with a descriptor of its own; one
 * update is lost. The twin locks the file.
 * Interleaving: T1 reads 0; T2 reads 0, writes 1; T1 writes 1.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

static void *worker(void *unused)
{
  (void)unused;
  char count = 0;
  int fd = open("counter", O_RDWR);
#ifdef FIXED
  flock(fd, LOCK_EX);
#endif
  assert(pread(fd, &count, 1, 0) == 1);
  count++;
  assert(pwrite(fd, &count, 1, 0) == 1);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  char count = 0;
  int fd = open("counter", O_CREAT | O_TRUNC | O_RDWR, 0600);
  assert(write(fd, &count, 1) == 1);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(pread(fd, &count, 1, 0) == 1);
  close(fd);
  unlink("counter");
  assert(count == 2);
  return 0;
}
