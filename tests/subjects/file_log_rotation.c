/* SPDX-License-Identifier: Apache-2.0
 *
 * Bug: a log is rotated by copying it away and truncating it; a line that comes in between is in neither file. The twin
 * renames it.
 * Interleaving: rotator reads the log; writer appends; rotator truncates.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void *writer(void *unused)
{
  (void)unused;
  int fd = open("day.log", O_CREAT | O_WRONLY | O_APPEND, 0600);
  assert(write(fd, "b\n", 2) == 2);
  close(fd);
  return NULL;
}

static void rotate(void)
{
#ifdef FIXED
  assert(rename("day.log", "day.log.1") == 0);
#else
  char lines[16];
  int from = open("day.log", O_RDWR), to = open("day.log.1", O_CREAT | O_TRUNC | O_WRONLY, 0600);
  ssize_t n = read(from, lines, sizeof lines);
  assert(write(to, lines, (size_t)n) == n);
  assert(ftruncate(from, 0) == 0);
  close(from);
  close(to);
#endif
}

static long size_of(const char *name)
{
  struct stat s;
  return stat(name, &s) ? 0 : (long)s.st_size;
}

int main(void)
{
  pthread_t thread;
  int fd = open("day.log", O_CREAT | O_TRUNC | O_WRONLY, 0600);
  assert(write(fd, "a\n", 2) == 2);
  close(fd);
  pthread_create(&thread, NULL, writer, NULL);
  rotate();
  pthread_join(thread, NULL);
  assert(size_of("day.log") + size_of("day.log.1") == 4);
  unlink("day.log");
  unlink("day.log.1");
  return 0;
}
