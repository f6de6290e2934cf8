/* SPDX-License-Identifier: Apache-2.0
 *
 * Names in the output folder, see the header. A name is taken by making the file, so two heddles in one folder do not
 * get in each other's way.
 */
#include "cli/option/outfiles.h"
#include "file/output_file.h"
#include "session/console.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void outfiles_init(struct outfiles *files, const char *folder, const char *name)
{
  *files = (struct outfiles){.folder = folder};
  const char *slash = strrchr(name, '/');
  const char *base = slash ? slash + 1 : name;
  const char *dot = strrchr(base, '.');
  size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  snprintf(files->stem, sizeof files->stem, "%.*s", (int)length, base);
}

void outfiles_name_reduced(struct outfiles *files)
{
  static const char suffix[] = "-reduced";
  size_t most = sizeof files->stem - sizeof suffix, length = strlen(files->stem);
  memcpy(files->stem + (length < most ? length : most), suffix, sizeof suffix);
}

void outfiles_free(struct outfiles *files)
{
  if (files->in_use)
    close(files->in_use);
  free(files->program);
  free(files->input);
  *files = (struct outfiles){0};
}

bool outfiles_check(const struct outfiles *files)
{
  struct stat st;
  if (stat(files->folder, &st) != 0) {
    if (errno == ENOENT)
      return true;
    console_error("the output folder %s cannot be used: %s", files->folder, strerror(errno));
    return false;
  }
  if (!S_ISDIR(st.st_mode)) {
    console_error("%s is a file, not a folder; choose another with --out", files->folder);
    return false;
  }
  return true;
}

static bool make_folder(const char *folder, bool *made)
{
  char *path = strdup(folder);
  if (!path)
    return false;
  for (char *c = path + 1; *c; c++)
    if (*c == '/') {
      *c = 0;
      mkdir(path, 0777); /* an error shows at the last one */
      *c = '/';
    }
  *made = mkdir(path, 0777) == 0;
  bool there = *made || errno == EEXIST;
  free(path);
  return there;
}

static char *numbered(const struct outfiles *files, unsigned n, const char *suffix)
{
  char *path = NULL;
  if (asprintf(&path, "%s/%s-%u%s", files->folder, files->stem, n, suffix) < 0)
    return NULL;
  return path;
}

/* Whether the name with this suffix is free, our own program aside. */
static bool is_free(const struct outfiles *files, unsigned n, const char *suffix)
{
  char *path = numbered(files, n, suffix);
  struct stat st;
  bool unused = path && ((files->program && !strcmp(path, files->program)) || lstat(path, &st) != 0);
  free(path);
  return unused;
}

bool outfiles_make_folder(struct outfiles *files)
{
  bool made;
  if (make_folder(files->folder, &made)) {
    files->made |= made;
    return true;
  }
  console_error("the output folder %s cannot be made: %s", files->folder, strerror(errno));
  return false;
}

char *outfiles_corpus(struct outfiles *files)
{
  char *folder = NULL, *path = NULL;
  bool made;
  if (!outfiles_make_folder(files))
    return NULL;
  if (asprintf(&folder, "%s/corpus", files->folder) < 0 || asprintf(&path, "%s/%s", folder, files->stem) < 0) {
    console_error("no memory left");
    path = NULL;
  } else if (!make_folder(folder, &made)) {
    console_error("the folder %s cannot be made: %s", folder, strerror(errno));
    free(path);
    path = NULL;
  }
  free(folder);
  return path;
}

/* The first number for which nothing is there, taken by making the file with this suffix. */
static char *reserve(struct outfiles *files, const char *suffix)
{
  if (!outfiles_make_folder(files))
    return NULL;
  for (unsigned n = 1; n; n++) {
    if (!is_free(files, n, ".hd") || !is_free(files, n, "") || !is_free(files, n, ".input") ||
        !is_free(files, n, ".html"))
      continue;
    char *path = numbered(files, n, suffix);
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    if (fd >= 0) {
      close(fd);
      return path;
    }
    int error = errno;
    if (!path || error != EEXIST) {
      console_error("no file can be made in %s: %s", files->folder, strerror(error));
      free(path);
      return NULL;
    }
    free(path);
  }
  return NULL;
}

bool outfiles_reserve_program(struct outfiles *files)
{
  files->program = reserve(files, "");
  return files->program;
}

/* Open and locked; -1: it is not there, or another heddle runs it. */
static int lock_program(const char *path)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

void outfiles_replace_program(struct outfiles *files, const char *older)
{
  const int fd = lock_program(files->program);
  files->in_use = fd > 0 ? fd : 0;
  const int before = older && fd > 0 ? lock_program(older) : -1;
  char *path = before >= 0 ? strdup(older) : NULL;
  if (path && rename(files->program, path) == 0) {
    free(files->program);
    files->program = path;
    files->replaces = true;
    path = NULL;
  }
  free(path);
  if (before >= 0)
    close(before);
}

void outfiles_drop_program(struct outfiles *files)
{
  if (!files->program || files->replaces)
    return;
  unlink(files->program);
  if (files->made)
    rmdir(files->folder);
  free(files->program);
  files->program = NULL;
}

char *outfiles_reserve_test(struct outfiles *files, const char *schedule, const char *source)
{
  const char *dot = strrchr(source, '.'), *name = schedule ? basename(schedule) : NULL;
  char *path = NULL, suffix[32];
  snprintf(suffix, sizeof suffix, "-reduced%s", dot && !strchr(dot, '/') ? dot : ".c");
  if (!name || !outfiles_make_folder(files))
    return reserve(files, suffix);
  if (asprintf(&path, "%s/%.*s%s", files->folder, (int)strlen(name) - 3, name, suffix) < 0)
    return NULL;
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) {
    free(path);
    return reserve(files, suffix);
  }
  close(fd);
  return path;
}

char *outfiles_reserve_schedule(struct outfiles *files)
{
  return reserve(files, ".hd");
}

/* Whether a file is there and holds just that. */
static bool holds(const char *path, const void *data, size_t bytes)
{
  struct stat status;
  char buffer[4096];
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  bool same = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (size_t)status.st_size == bytes;
  for (size_t at = 0; same && at < bytes;) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    same = n > 0 && (size_t)n <= bytes - at && !memcmp(buffer, (const char *)data + at, (size_t)n);
    at += same ? (size_t)n : 0;
  }
  if (fd >= 0)
    close(fd);
  return same;
}

/* The first name for the input of that schedule that is free, or holds it already; malloc'ed. */
static char *input_name(const char *schedule, const void *data, size_t bytes)
{
  struct stat status;
  char *path, number[16] = "";
  for (unsigned n = 2;; n++) {
    if (asprintf(&path, "%.*s%s.input", (int)strlen(schedule) - 3, schedule, number) < 0)
      return NULL;
    if (lstat(path, &status) != 0 || holds(path, data, bytes))
      return path;
    free(path);
    snprintf(number, sizeof number, "-%u", n);
  }
}

bool outfiles_write_input(struct outfiles *files, const char *schedule, const void *data, size_t bytes)
{
  char error[256] = "no memory left";
  if (files->input)
    return true;
  files->input = input_name(schedule, data, bytes);
  if (files->input && (holds(files->input, data, bytes) ||
                       output_file_write(files->input, FILE_PLAIN, data, bytes, error, sizeof error)))
    return true;
  console_error("%s", error);
  free(files->input);
  files->input = NULL;
  return false;
}
