/* SPDX-License-Identifier: Apache-2.0
 *
 * A file made now is as old by statx as by the clock the program sees.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
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
  struct statx made;
  pthread_t thread;
  time_t start = time(NULL);
  pthread_create(&thread, NULL, worker, NULL);
  int fd = open("dated", O_CREAT | O_TRUNC | O_WRONLY, 0600);
  write(fd, "x", 1);
  assert(statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &made) == 0);
  close(fd);
  unlink("dated");
  pthread_join(thread, NULL);
  assert(made.stx_mtime.tv_sec >= start - 1 && made.stx_mtime.tv_sec <= time(NULL) + 1);
  return 0;
}
