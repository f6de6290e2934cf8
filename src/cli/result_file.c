/* SPDX-License-Identifier: Apache-2.0
 *
 * Files for results, see the header.
 */
#include "cli/result_file.h"
#include "cli/say.h"
#include "trace/atomic_file.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
  const char *start, *name;
} formats[] = {[RESULT_JSON] = {"{", "JSON document"},
               [RESULT_XML] = {"<", "XML"},
               [RESULT_TRACE] = {"# heddle-trace", "trace log"},
               [RESULT_HTML] = {"<!doctype html>", "page"}};

/* Whether a file that is there begins as one of ours; blanks do not count, nor does an empty one. */
static bool begins_alike(const char *path, const char *start)
{
  char text[64];
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return true; /* the attempt to write will tell */
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = '\0';
  const char *first = text + strspn(text, " \t\r\n");
  return (!*first && n < (ssize_t)sizeof text - 1) || !strncmp(first, start, strlen(start));
}

static bool folder_is_writable(const char *path)
{
  char *copy = strdup(path);
  bool writable = copy && access(dirname(copy), W_OK) == 0;
  free(copy);
  return writable;
}

bool result_file_check(const char *option, const char *path, enum result_format format)
{
  struct stat st;
  if (!path || !strcmp(path, "-"))
    return true;
  if (stat(path, &st) != 0) {
    if (folder_is_writable(path))
      return true;
    say_error("%s: %s cannot be written: %s", option, path, strerror(errno));
  } else if (S_ISDIR(st.st_mode)) {
    say_error("%s: %s is a folder", option, path);
  } else if (S_ISREG(st.st_mode) && !begins_alike(path, formats[format].start)) {
    say_error("%s: %s is there and is no %s; it was not overwritten", option, path, formats[format].name);
  } else {
    return true;
  }
  return false;
}

bool result_file_write(const char *option, const char *path, const char *text, size_t length)
{
  char error[512] = "no memory left";
  bool done;
  if (text && !strcmp(path, "-"))
    done = fwrite(text, 1, length, stdout) == length; /* main looks whether it could be written */
  else
    done = text && atomic_file_write(path, text, length, error, sizeof error);
  if (!done)
    say_error("%s: %s", option, error);
  return done;
}
