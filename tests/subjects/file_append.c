/* SPDX-License-Identifier: Apache-2.0
 *
 * Bug: two threads append to a log by going to its end and writing there; both may find the same end. O_APPEND does
 * both at once.
 * Interleaving: T1 lseek(); T2 lseek(), write(); T1 writes over it.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#ifdef FIXED
#define HOW (O_WRONLY | O_APPEND)
#else
#define HOW O_WRONLY
#endif

static void *worker(void *line)
{
  int fd = open("events.log", HOW);
  lseek(fd, 0, SEEK_END);
  assert(write(fd, line, 4) == 4);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  int fd = open("events.log", O_CREAT | O_TRUNC | O_RDWR, 0600);
  pthread_create(&thread[0], NULL, worker, "one\n");
  pthread_create(&thread[1], NULL, worker, "two\n");
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(lseek(fd, 0, SEEK_END) == 8);
  close(fd);
  unlink("events.log");
  return 0;
}
