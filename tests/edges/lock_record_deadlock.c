/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes take two records of a file in opposite order: the kernel notices, and one of them is told (EDEADLK). What
 * a process has is gone when it closes the file, and with its end.
 *
 * verdict: complete
 * options: --time 10s
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static int file;

static int lock(int how, short kind, int record)
{
  struct flock one = {.l_type = kind, .l_whence = SEEK_SET, .l_start = record, .l_len = 1};
  return fcntl(file, how, &one);
}

static int take_both(int first, int second)
{
  assert(lock(F_SETLKW, F_WRLCK, first) == 0);
  int result = lock(F_SETLKW, F_WRLCK, second);
  assert(result == 0 || errno == EDEADLK);
  return result;
}

int main(void)
{
  file = open("records", O_CREAT | O_RDWR, 0600);
  assert(file >= 0);
  pid_t child = fork();
  if (!child)
    _exit(take_both(1, 2) != 0); /* which gives them back */
  if (take_both(2, 1)) /* the child waits for the second one */
    close(file);
  else
    _exit(0); /* as well */
  assert(waitpid(child, NULL, 0) == child);
  return 0;
}
