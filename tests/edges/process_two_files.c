/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes each make a file and write to it. None has anything of the other's.
 *
 * verdict: complete
 */
#include <assert.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void make(const char *name, const char *text, long length)
{
  struct stat s;
  int fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
  assert(fd >= 0 && write(fd, text, (size_t)length) == length);
  assert(fstat(fd, &s) == 0 && s.st_size == length);
  close(fd);
}

int main(void)
{
  struct stat s;
  if (!fork()) {
    make("one", "a", 1);
    _exit(0);
  }
  make("other", "bcd", 3);
  wait(NULL);
  assert(stat("one", &s) == 0 && s.st_size == 1 && unlink("one") == 0);
  return unlink("other");
}
