/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes add a line to a file, each at what it took for its end: the second writes over the first. The twin opens
 * the file for appending.
 *
 * verdict: assertion
 * threads: 2
 * runs: 300
 */
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void add_line(const char *path)
{
#ifdef FIXED
  int fd = open(path, O_WRONLY | O_APPEND);
#else
  int fd = open(path, O_WRONLY);
  lseek(fd, 0, SEEK_END);
#endif
  assert(write(fd, "line\n", 5) == 5);
  close(fd);
}

int main(void)
{
  char path[] = "/tmp/heddle-log-XXXXXX";
  struct stat s;
  int fd = mkstemp(path);
  assert(fd >= 0);
  pid_t child = fork();
  add_line(path);
  if (child == 0)
    _exit(0);
  assert(waitpid(child, NULL, 0) == child);
  assert(fstat(fd, &s) == 0);
  unlink(path);
  close(fd);
  assert(s.st_size == 10);
  return 0;
}
