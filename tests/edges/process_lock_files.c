/* SPDX-License-Identifier: Apache-2.0
 *
 * Parent and child exclude each other by fcntl locks, which belong to processes.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static void add(int fd)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int count = 0;
  fcntl(fd, F_SETLKW, &lock);
  pread(fd, &count, sizeof count, 0);
  count++;
  pwrite(fd, &count, sizeof count, 0);
  lock.l_type = F_UNLCK;
  fcntl(fd, F_SETLK, &lock);
}

int main(void)
{
  int count = 0, fd = open("locked", O_CREAT | O_TRUNC | O_RDWR, 0600);
  pid_t child = fork();
  add(fd);
  if (child == 0)
    _exit(0);
  waitpid(child, NULL, 0);
  pread(fd, &count, sizeof count, 0);
  unlink("locked");
  assert(count == 2);
  return 0;
}
