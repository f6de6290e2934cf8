/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that are there whole or not at all, see the header. No stdio: every error of a write is seen.
 */
#include "trace/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, const char *data, size_t length)
{
  while (length > 0) {
    const ssize_t n = write(fd, data, length);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    data += n;
    length -= (size_t)n;
  }
  return true;
}

static bool fail(const char *path, int number, char *error, size_t error_size)
{
  snprintf(error, error_size, "cannot write %s: %s", path, strerror(number));
  return false;
}

static bool write_directly(const char *path, const void *data, size_t length, char *error, size_t error_size)
{
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return fail(path, errno, error, error_size);
  const bool written = write_all(fd, data, length);
  const int number = errno;
  close(fd);
  return written || fail(path, number, error, error_size);
}

/* Gives a file made by mkstemp the permissions an ordinary new file would have. */
static bool ordinary_mode(int fd)
{
  const mode_t mask = umask(0);
  umask(mask);
  return fchmod(fd, 0666 & ~mask) == 0;
}

static bool replace_file(const char *path, const void *data, size_t length, char *error, size_t error_size)
{
  static const char suffix[] = ".XXXXXX";
  const size_t size = strlen(path) + sizeof suffix;
  char *temporary = malloc(size);
  if (!temporary)
    return fail(path, ENOMEM, error, error_size);
  snprintf(temporary, size, "%s%s", path, suffix);
  const int fd = mkstemp(temporary);
  if (fd < 0) {
    const int number = errno;
    free(temporary);
    return fail(path, number, error, error_size);
  }
  bool done = fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && write_all(fd, data, length) && ordinary_mode(fd);
  int number = errno;
  if (close(fd) != 0 && done) {
    number = errno;
    done = false;
  }
  if (done && rename(temporary, path) != 0) {
    number = errno;
    done = false;
  }
  if (!done)
    unlink(temporary);
  free(temporary);
  return done || fail(path, number, error, error_size);
}

bool atomic_file_write(const char *path, const void *data, size_t length, char *error, size_t error_size)
{
  struct stat status;
  const bool device = strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
  if (device || (stat(path, &status) == 0 && !S_ISREG(status.st_mode)))
    return write_directly(path, data, length, error, error_size);
  /* A symbolic link keeps pointing to the file it names. */
  char *real = realpath(path, NULL);
  const bool done = replace_file(real ? real : path, data, length, error, error_size);
  free(real);
  return done;
}
