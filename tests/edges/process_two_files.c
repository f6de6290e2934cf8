/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes each make a file and write to it. None has anything of the other's.
 *
 * verdict: complete
 * options: --time 10s
 */
#include <assert.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void make(const char *name, const char *text, long length)
{
  struct stat s;
  int fd = open(name, O_CREAT | O_WRONLY, 0600);
  assert(write(fd, text, (size_t)length) == length && fstat(fd, &s) == 0 && s.st_size == length);
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
  return stat("one", &s) || s.st_size != 1;
}
