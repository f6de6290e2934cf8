/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that was there before the program is not from the future, and a date that the program gives to a file is kept.
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
  struct stat program, dated;
  pthread_t thread;
  time_t start = time(NULL);
  pthread_create(&thread, NULL, worker, NULL);
  assert(stat("/proc/self/exe", &program) == 0 && program.st_mtime <= start);
  int fd = open("dated", O_CREAT | O_TRUNC | O_WRONLY, 0600);
  struct timespec times[2] = {{.tv_sec = start - 50}, {.tv_sec = start - 100}};
  assert(futimens(fd, times) == 0 && fstat(fd, &dated) == 0);
  close(fd);
  unlink("dated");
  pthread_join(thread, NULL);
  assert(dated.st_atime == start - 50 && dated.st_mtime == start - 100);
  return 0;
}
