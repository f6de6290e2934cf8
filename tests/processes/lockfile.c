/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes protect a counter in a file by a lock file, which is looked for and then made. The twin makes it with O_EXCL.
 *
 * tell: assertion failed: digit == '2'
 * tell: calls +access\(counter\.lock\)
 * tell: calls +pwrite64\(counter\)
 * tell: calls +close\(counter\.lock\)
 */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void add_one(void)
{
  char digit = 0;
#ifdef FIXED
  int lock;
  while ((lock = open("/tmp/counter.lock", O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0)
    usleep(10);
#else
  while (access("/tmp/counter.lock", F_OK) == 0)
    usleep(10);
  int lock = open("/tmp/counter.lock", O_CREAT | O_WRONLY, 0600);
#endif
  int fd = open("/tmp/counter", O_RDWR);
  read(fd, &digit, 1);
  digit++;
  pwrite(fd, &digit, 1, 0);
  close(fd);
  close(lock);
  unlink("/tmp/counter.lock");
}

int main(void)
{
  char digit = '0';
  int fd = open("/tmp/counter", O_CREAT | O_RDWR | O_TRUNC, 0600);
  assert(fd >= 0 && write(fd, &digit, 1) == 1);
  pid_t child = fork();
  add_one();
  if (child == 0)
    _exit(0);
  waitpid(child, NULL, 0);
  assert(pread(fd, &digit, 1, 0) == 1);
  assert(digit == '2');
  unlink("/tmp/counter");
  return 0;
}
