/* SPDX-License-Identifier: Apache-2.0
 *
 * A file made now is not older than the program's start, by the clock the program sees.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  struct stat made;
  pthread_t thread;
  time_t start = time(NULL);
  pthread_create(&thread, NULL, worker, NULL);
  int fd = open("dated", O_CREAT | O_TRUNC | O_WRONLY, 0600);
  write(fd, "x", 1);
  assert(fstat(fd, &made) == 0);
  close(fd);
  unlink("dated");
  pthread_join(thread, NULL);
  assert(made.st_mtime >= start - 1 && made.st_mtime <= time(NULL) + 1);
  return 0;
}
