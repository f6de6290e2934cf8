/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening and reading what a person names, see the header.
 */
#include "file/input_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode)
{
  return S_ISDIR(mode) ? "is a folder" : S_ISFIFO(mode) ? "is a pipe" : S_ISSOCK(mode) ? "is a socket" : "is a device";
}

int input_descriptor(const char *path, char *error, size_t error_size)
{
  struct stat st;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ENXIO && stat(path, &st) == 0) { /* a socket cannot be opened at all */
    snprintf(error, error_size, "%s, not a file that can be read", kind_of(st.st_mode));
    return -1;
  }
  if (fd < 0 || fstat(fd, &st) != 0) {
    snprintf(error, error_size, "cannot be read: %s", strerror(errno));
  } else if (!S_ISREG(st.st_mode)) {
    snprintf(error, error_size, "%s, not a file that can be read", kind_of(st.st_mode));
  } else {
    return fd;
  }
  if (fd >= 0)
    close(fd);
  return -1;
}

FILE *input_open(const char *path, char *error, size_t error_size)
{
  int fd = input_descriptor(path, error, error_size);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
  if (fd >= 0 && !file) {
    snprintf(error, error_size, "cannot be read: %s", strerror(errno));
    close(fd);
  }
  return file;
}

/* Room for one byte more and the end of the text. */
static bool grow(char **line, size_t *room, size_t used)
{
  if (used + 2 <= *room)
    return true;
  size_t larger = *room ? 2 * *room : 128;
  char *grown = realloc(*line, larger);
  if (!grown)
    return false;
  *line = grown;
  *room = larger;
  return true;
}

ssize_t input_line(char **line, size_t *room, FILE *in, bool *whole)
{
  size_t used = 0;
  int c = 0;
  while (used < INPUT_LINE_MOST && c != '\n' && (c = getc_unlocked(in)) != EOF) {
    if (!grow(line, room, used))
      return -1;
    (*line)[used++] = (char)c;
  }
  if (!used)
    return -1;
  (*line)[used] = '\0';
  if (used == INPUT_LINE_MOST && c != '\n' && whole)
    *whole = false;
  return (ssize_t)used;
}
