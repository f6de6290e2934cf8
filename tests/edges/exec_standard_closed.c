/* SPDX-License-Identifier: Apache-2.0
 *
 * Standard error is to be closed when the process goes on as another program, and is: that one cannot write to it.
 * Setting the flag is no reason to begin with a new process each time.
 *
 * verdict: complete
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  if (argc > 1)
    return !(write(STDERR_FILENO, "words", 5) == -1 && errno == EBADF);
  assert(!fcntl(STDERR_FILENO, F_GETFD));
  assert(!fcntl(STDERR_FILENO, F_SETFD, FD_CLOEXEC) && fcntl(STDERR_FILENO, F_GETFD) == FD_CLOEXEC);
  execl(argv[0], argv[0], "again", NULL);
  return 3;
}
