/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing files, see the header. Every error of a write is seen: a file counts when it is closed.
 */
#include "file/output_file.h"

#include "file/paths.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK_READ 4096 /* of a file that is there: every mark stands in that */

static const struct {
  const char *name, *mark;
} formats[] = {
#define X(format, name, mark) {name, mark},
    FILE_FORMATS(X)
#undef X
};

static bool fail(char *error, size_t error_size, const char *path, const char *why)
{
  snprintf(error, error_size, "%s cannot be written: %s", path, why);
  return false;
}

/* ---- whose it is ---- */

/* Whether the text begins with the mark; blanks do not count. */
static bool begins_with(const char *text, const char *mark)
{
  static const char blanks[] = " \t\r\n";
  for (;;) {
    text += strspn(text, blanks);
    mark += strspn(mark, blanks);
    if (!*mark || *text != *mark)
      return !*mark;
    text++;
    mark++;
  }
}

/* Whether a regular file that is there may be replaced; a person calls it `path`. */
static bool may_replace(const char *place, const char *path, enum file_format format, char *error, size_t error_size)
{
  char text[MARK_READ + 1];
  const int fd = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const ssize_t n = fd < 0 ? -1 : read(fd, text, MARK_READ);
  const int number = errno;
  if (fd >= 0)
    close(fd);
  if (n < 0) {
    snprintf(error, error_size, "%s is there and cannot be read (%s), so it was not overwritten; choose another name",
             path, strerror(number));
    return false;
  }
  text[n] = '\0';
  if (n == 0 || (formats[format].mark && begins_with(text, formats[format].mark)))
    return true;
  if (formats[format].mark)
    snprintf(error, error_size,
             "%s is there and is no %s of heddle's, so it was not overwritten; choose another name or remove "
             "it",
             path, formats[format].name);
  else
    snprintf(error, error_size, "%s is there and was not overwritten; choose another name or remove it", path);
  return false;
}

/* ---- where it is ---- */

/* The descriptor of ours that a path names: /dev/stdout and its kin. -1: none. */
static int named_descriptor(const char *path)
{
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  if (!strcmp(path, "/dev/stdout"))
    return STDOUT_FILENO;
  if (!strcmp(path, "/dev/stderr"))
    return STDERR_FILENO;
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    const char *number = path + strlen(folders[i]);
    if (!strncmp(path, folders[i], strlen(folders[i])) && *number && strspn(number, "0123456789") == strlen(number))
      return atoi(number);
  }
  return -1;
}

static bool is_stream(const char *path)
{
  struct stat status;
  return named_descriptor(path) >= 0 ||
         (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

static bool is_below(const char *path, const char *folder)
{
  const size_t length = strcmp(folder, "/") ? strlen(folder) : 0;
  return !strncmp(path, folder, length) && path[length] == '/';
}

/* Follows a link, if it is one, within the folder. Takes the place and returns it or another; NULL: an error. */
static char *follow(char *place, const char *folder, const char *path, char *error, size_t error_size)
{
  struct stat status;
  if (!place || lstat(place, &status) != 0 || !S_ISLNK(status.st_mode))
    return place;
  char *target = realpath(place, NULL);
  free(place);
  if (target && is_below(target, folder))
    return target;
  snprintf(error, error_size, "%s cannot be written: it is a symbolic link %s; name the file itself", path,
           target ? "that leads out of its folder" : "to nothing");
  free(target);
  return NULL;
}

/* Where a path that is no stream leads. NULL: an error. */
static char *find_place(const char *path, char *error, size_t error_size)
{
  struct stat status;
  const size_t length = strlen(path);
  if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
    snprintf(error, error_size, "%s is a folder", path);
    return NULL;
  }
  char *folder = length && path[length - 1] != '/' ? path_folder(path) : (errno = ENOENT, NULL);
  if (!folder) {
    fail(error, error_size, path, strerror(errno));
    return NULL;
  }
  const char *slash = strrchr(path, '/');
  char *place = path_join(folder, slash ? slash + 1 : path);
  if (!place)
    fail(error, error_size, path, strerror(ENOMEM));
  place = follow(place, folder, path, error, error_size);
  free(folder);
  return place;
}

char *output_file_place(const char *path)
{
  char error[512];
  return is_stream(path) ? NULL : find_place(path, error, sizeof error);
}

static bool folder_takes_files(const char *place)
{
  char *copy = strdup(place);
  const bool takes = copy && access(dirname(copy), W_OK | X_OK) == 0;
  free(copy);
  return takes;
}

bool output_file_check(const char *path, enum file_format format, char *error, size_t error_size)
{
  struct stat status;
  if (is_stream(path))
    return true;
  char *place = find_place(path, error, error_size);
  if (!place)
    return false;
  bool fine = lstat(place, &status) != 0 || may_replace(place, path, format, error, error_size);
  if (fine && !folder_takes_files(place))
    fine = fail(error, error_size, path, strerror(errno));
  free(place);
  return fine;
}

/* ---- writing ---- */

static bool open_temporary(struct output_file *output, const char *folder_and_name)
{
  if (asprintf(&output->temporary, "%s.XXXXXX", folder_and_name) < 0) {
    output->temporary = NULL;
    errno = ENOMEM;
    return false;
  }
  const int fd = mkostemp(output->temporary, O_CLOEXEC);
  if (fd >= 0)
    output->file = fdopen(fd, "w+");
  if (output->file)
    return true;
  const int number = errno;
  if (fd >= 0) {
    close(fd);
    unlink(output->temporary);
  }
  free(output->temporary);
  output->temporary = NULL;
  errno = number;
  return false;
}

/* What goes to a stream is gathered first: it may be read back, and begun anew. */
static FILE *open_unnamed(void)
{
  FILE *file = tmpfile();
  const int fd = file ? -1 : memfd_create("heddle output", MFD_CLOEXEC); /* no folder can be written to */
  return file ? file : fd >= 0 ? fdopen(fd, "w+") : NULL;
}

/* Where files go that do not get into their folder: it was fine when the work began. */
static bool open_displaced(struct output_file *output, const char *error)
{
  const char *folder = getenv("TMPDIR");
  char *name;
  snprintf(output->displaced, sizeof output->displaced, "%s", error);
  if (asprintf(&name, "%s/heddle", folder && *folder ? folder : "/tmp") < 0)
    return false;
  const bool opened = open_temporary(output, name);
  free(name);
  return opened;
}

bool output_file_open(struct output_file *output, const char *path, enum file_format format, char *error,
                      size_t error_size)
{
  *output = (struct output_file){.format = format};
  output->name = strdup(path);
  if (output->name && is_stream(path)) {
    output->file = open_unnamed();
    if (output->file)
      return true;
    fail(error, error_size, path, strerror(errno));
  } else if (output->name) {
    output->place = find_place(path, error, error_size);
    if (output->place && open_temporary(output, output->place))
      return true;
    if (output->place)
      fail(error, error_size, path, strerror(errno));
    if (open_displaced(output, error))
      return true;
  } else {
    fail(error, error_size, path, strerror(errno));
  }
  output_file_drop(output);
  return false;
}

static void forget(struct output_file *output)
{
  free(output->name);
  free(output->place);
  free(output->temporary);
  *output = (struct output_file){0};
}

void output_file_drop(struct output_file *output)
{
  if (output->file)
    fclose(output->file);
  if (output->temporary)
    unlink(output->temporary);
  forget(output);
}

/* A new file gets the permissions any new file has; one that takes the place of another keeps that one's. */
static bool set_mode(int fd, const char *place)
{
  struct stat status;
  const mode_t mask = umask(0);
  umask(mask);
  const bool there = place && lstat(place, &status) == 0;
  return fchmod(fd, there ? status.st_mode & 0777 : 0666 & ~mask) == 0;
}

/* The rename itself never follows a link nor replaces what came since it was looked for. */
static bool put_in_place(const struct output_file *output, char *error, size_t error_size)
{
  struct stat status;
  if (lstat(output->place, &status) != 0) {
    if (renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->place, RENAME_NOREPLACE) == 0)
      return true;
    if (errno != EEXIST && errno != EINVAL && errno != ENOSYS)
      return fail(error, error_size, output->name, strerror(errno));
  }
  if (lstat(output->place, &status) == 0) {
    if (!S_ISREG(status.st_mode))
      return fail(error, error_size, output->name, "something else is there now");
    if (!may_replace(output->place, output->name, output->format, error, error_size))
      return false;
  }
  return rename(output->temporary, output->place) == 0 || fail(error, error_size, output->name, strerror(errno));
}

/* To what is no regular file. */
static bool pour(struct output_file *output)
{
  char buffer[65536];
  const int named = named_descriptor(output->name);
  const int fd = named >= 0 ? dup(named) : open(output->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  bool good = fd >= 0;
  if (named == STDOUT_FILENO)
    fflush(stdout); /* what was printed before stands before */
  rewind(output->file);
  for (size_t n; good && (n = fread(buffer, 1, sizeof buffer, output->file)) > 0;)
    for (size_t at = 0; good && at < n;) {
      const ssize_t written = write(fd, buffer + at, n - at);
      good = written > 0 || (written < 0 && errno == EINTR);
      at += written > 0 ? (size_t)written : 0;
    }
  const int number = errno;
  if (fd >= 0)
    close(fd);
  errno = number;
  return good && !ferror(output->file);
}

/* The error, and where the file is now. */
static void append_where(const struct output_file *output, char *error, size_t error_size)
{
  const size_t used = strlen(error);
  if (used < error_size)
    snprintf(error + used, error_size - used, "; it is in %s", output->temporary);
}

bool output_file_close(struct output_file *output, char *error, size_t error_size)
{
  bool whole = fflush(output->file) == 0 && !ferror(output->file);
  if (whole && output->temporary)
    whole = set_mode(fileno(output->file), output->place);
  else if (whole)
    whole = pour(output);
  const int number = errno;
  if (fclose(output->file) != 0 && whole && output->temporary)
    whole = false;
  output->file = NULL;
  if (!whole) {
    fail(error, error_size, output->name, strerror(number ? number : EIO));
    output_file_drop(output);
    return false;
  }
  bool done = !*output->displaced;
  if (!done)
    snprintf(error, error_size, "%s", output->displaced);
  else if (output->temporary)
    done = put_in_place(output, error, error_size);
  if (!done)
    append_where(output, error, error_size);
  forget(output);
  return done;
}

bool output_file_write(const char *path, enum file_format format, const void *data, size_t length, char *error,
                       size_t error_size)
{
  struct output_file output;
  if (!output_file_open(&output, path, format, error, error_size))
    return false;
  fwrite(data, 1, length, output.file); /* closing tells whether it could be written */
  return output_file_close(&output, error, error_size);
}

/* Whether a regular file holds that and nothing else. */
static bool holds(const char *place, const char *data, size_t length)
{
  char buffer[65536];
  struct stat status;
  const int fd = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  bool same = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (size_t)status.st_size == length;
  for (size_t at = 0; same && at < length;) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    same = n > 0 && (size_t)n <= length - at && !memcmp(buffer, data + at, (size_t)n);
    at += n > 0 ? (size_t)n : 0;
  }
  if (fd >= 0)
    close(fd);
  return same;
}

bool output_file_change(const char *path, const void *before, size_t before_length, const void *after,
                        size_t after_length, char *error, size_t error_size)
{
  struct output_file output = {.name = strdup(path)};
  output.place = output.name ? find_place(path, error, error_size) : NULL;
  if (!output.place) {
    forget(&output);
    return false;
  }
  bool done = open_temporary(&output, output.place) && fwrite(after, 1, after_length, output.file) == after_length &&
              fflush(output.file) == 0 && set_mode(fileno(output.file), output.place);
  if (!done)
    fail(error, error_size, path, strerror(errno));
  else if (!holds(output.place, before, before_length))
    done = fail(error, error_size, path, "it was changed meanwhile");
  else if (rename(output.temporary, output.place) != 0)
    done = fail(error, error_size, path, strerror(errno));
  if (!done) {
    output_file_drop(&output);
    return false;
  }
  fclose(output.file);
  forget(&output);
  return true;
}

void output_file_remove(const char *path, enum file_format format)
{
  char error[512];
  struct stat status;
  if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && formats[format].mark &&
      may_replace(path, path, format, error, sizeof error))
    unlink(path);
}
