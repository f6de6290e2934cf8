/* SPDX-License-Identifier: Apache-2.0
 *
 * Random calls on files, in the working folder, printed with what came of each: the same program without heddle and
 * with it must print the same (tests/e2e/file_calls.py).
 *
 *     files SEED CALLS          one thread
 *     files SEED CALLS two      two threads, so many calls each; what each saw is printed at the end
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOTS 4

/* What one thread does and sees. */
struct actor {
  uint64_t state;
  int calls;
  int fd[SLOTS]; /* its own */
  size_t used;
  char text[1 << 18];
};

static struct actor actor[2];
static int shared_fd = -1;

static unsigned draw(struct actor *a, unsigned n)
{
  a->state = a->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(a->state >> 33) % n;
}

__attribute__((format(printf, 2, 3))) static void say(struct actor *a, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  a->used += (size_t)vsnprintf(a->text + a->used, sizeof a->text - a->used, format, args);
  va_end(args);
}

static void say_result(struct actor *a, long result)
{
  if (result < 0)
    say(a, " = %s\n", strerrorname_np(errno));
  else
    say(a, " = %ld\n", result);
}

/* real-*: there before the program. */
static const char *const names[] = {
    "a",        "b",         "c",         "d",       "d/a",      "d/b",       "d/e",         "d/e/x",      "link",
    "d/link",   "./a",       "d/../b",    "d/",      "a/",       "link/",     "link/x",      "missing/x",  "",
    ".",        "..",        "d/.",       "d/..",    "real-a",   "real-b",    "real-d",      "real-d/x",   "real-d/y",
    "real-d/z", "real-link", "real-link/", "real-d/e", "real-d/e/f", "../in/a", "real-to-d/x", "real-to-d/new", "a/b"};

static const char *name(struct actor *a)
{
  return names[draw(a, sizeof names / sizeof *names)];
}

static int *slot(struct actor *a)
{
  unsigned i = draw(a, SLOTS + (shared_fd >= 0 ? 1 : 0));
  say(a, "#%u ", i);
  return i < SLOTS ? &a->fd[i] : &shared_fd;
}

static void say_stat(struct actor *a, int result, const struct stat *s)
{
  if (result < 0) {
    say_result(a, result);
    return;
  }
  say(a, " = %o links %lu user %u group %u", s->st_mode, S_ISDIR(s->st_mode) ? 0UL : (unsigned long)s->st_nlink,
      s->st_uid, s->st_gid);
  if (S_ISREG(s->st_mode) || S_ISLNK(s->st_mode))
    say(a, " size %ld", (long)s->st_size);
  say(a, "\n");
}

/* ---- calls ---- */

static void do_open(struct actor *a)
{
  static const int kinds[] = {O_RDONLY, O_WRONLY, O_RDWR}, more[] = {O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY,
                                                                     O_NOFOLLOW, O_CREAT, O_CREAT};
  int flags = kinds[draw(a, 3)], *fd = &a->fd[draw(a, SLOTS)];
  for (int i = 0; i < 8; i++)
    flags |= draw(a, 4) == 0 ? more[i] : 0;
  if (draw(a, 12) == 0)
    flags = O_TMPFILE | O_RDWR;
  const char *path = name(a);
  if (*fd >= 0)
    close(*fd);
  *fd = open(path, flags | O_NONBLOCK, 0640); /* of FIFOs, too */
  say(a, "open %s %o", path, flags);
  say_result(a, *fd < 0 ? -1 : 0);
}

static void do_close(struct actor *a)
{
  int *fd = slot(a);
  if (fd == &shared_fd)
    fd = &a->fd[0];
  int result = close(*fd);
  *fd = -1;
  say(a, "close");
  say_result(a, result);
}

static void do_read(struct actor *a)
{
  char data[32] = {0};
  int *fd = slot(a);
  size_t size = draw(a, 20);
  unsigned way = draw(a, 2);
  long n = way ? read(*fd, data, size) : pread(*fd, data, size, draw(a, 10));
  say(a, "%s %zu '%s'", way ? "read" : "pread", size, data);
  say_result(a, n);
}

static void do_write(struct actor *a)
{
  static const char data[] = "abcdefghijklmnopqrstuvwxyz";
  int *fd = slot(a);
  size_t size = draw(a, 20);
  unsigned way = draw(a, 3);
  long n = way ? write(*fd, data, size) : pwrite(*fd, data, size, draw(a, 10));
  say(a, "%s %zu", way ? "write" : "pwrite", size);
  say_result(a, n);
}

static void do_seek(struct actor *a)
{
  int *fd = slot(a), whence = (int)draw(a, 3);
  struct stat s;
  long at = (long)draw(a, 30) - 5;
  if (fstat(*fd, &s) == 0 && S_ISDIR(s.st_mode))
    return;
  say(a, "seek %ld %d", at, whence);
  say_result(a, lseek(*fd, at, whence));
}

static void do_truncate(struct actor *a)
{
  long size = (long)draw(a, 40) - 2;
  if (draw(a, 2)) {
    int *fd = slot(a);
    say(a, "ftruncate %ld", size);
    say_result(a, ftruncate(*fd, size));
    return;
  }
  const char *path = name(a);
  say(a, "truncate %s %ld", path, size);
  say_result(a, truncate(path, size));
}

static void do_stat(struct actor *a)
{
  struct stat s;
  const char *path = name(a);
  unsigned way = draw(a, 3);
  if (way == 2) {
    int *fd = slot(a), result = fstat(*fd, &s);
    say(a, "fstat");
    say_stat(a, result, &s);
    return;
  }
  int result = way ? stat(path, &s) : lstat(path, &s);
  say(a, "%s %s", way ? "stat" : "lstat", path);
  say_stat(a, result, &s);
}

static void do_access(struct actor *a)
{
  const char *path = name(a);
  int mode = (int)draw(a, 8);
  say(a, "access %s %d", path, mode);
  say_result(a, access(path, mode));
}

static void do_make(struct actor *a)
{
  const char *path = name(a), *other = name(a);
  switch (draw(a, 7)) {
  case 6: { /* a file by its descriptor: one without a name gets one */
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", *slot(a));
    say(a, "linkat # %s", path);
    say_result(a, linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW));
    return;
  }
  case 0:
  case 1:
    say(a, "mkdir %s", path);
    say_result(a, mkdir(path, 0750));
    return;
  case 2:
    say(a, "symlink %s %s", other, path);
    say_result(a, symlink(other, path));
    return;
  case 3:
    say(a, "link %s %s", other, path);
    say_result(a, link(other, path));
    return;
  case 4:
    say(a, "mkfifo %s", path);
    say_result(a, mkfifo(path, 0600));
    return;
  default:
    say(a, "linkat %s %s", other, path);
    say_result(a, linkat(AT_FDCWD, other, AT_FDCWD, path, AT_SYMLINK_FOLLOW));
  }
}

static void do_remove(struct actor *a)
{
  const char *path = name(a);
  unsigned way = draw(a, 3);
  say(a, "%s %s", way == 0 ? "unlink" : way == 1 ? "rmdir" : "remove", path);
  say_result(a, way == 0 ? unlink(path) : way == 1 ? rmdir(path) : remove(path));
}

static void do_rename(struct actor *a)
{
  static const unsigned flags[] = {0, 0, 0, RENAME_NOREPLACE, RENAME_EXCHANGE};
  const char *from = name(a), *to = name(a);
  unsigned how = flags[draw(a, 5)];
  say(a, "rename %s %s %u", from, to, how);
  say_result(a, how ? renameat2(AT_FDCWD, from, AT_FDCWD, to, how) : rename(from, to));
}

static int compare(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void do_list(struct actor *a)
{
  const char *path = name(a);
  char *entry[64];
  int n = 0;
  DIR *folder = opendir(path);
  say(a, "list %s", path);
  if (!folder || !strcmp(path, "..")) {
    say_result(a, folder ? 0 : -1);
    if (folder)
      closedir(folder);
    return;
  }
  for (struct dirent *e; n < 64 && (e = readdir(folder));) {
    entry[n] = malloc(300);
    snprintf(entry[n++], 300, "%s:%d", e->d_name, e->d_type);
  }
  closedir(folder);
  qsort(entry, (size_t)n, sizeof *entry, compare);
  for (int i = 0; i < n; i++) {
    say(a, " %s", entry[i]);
    free(entry[i]);
  }
  say(a, "\n");
}

static void do_attributes(struct actor *a)
{
  const char *path = name(a);
  struct timespec times[2] = {{1000 + draw(a, 50), 5}, {2000, UTIME_OMIT}};
  struct stat s;
  switch (draw(a, 4)) {
  case 0: {
    mode_t mode = (mode_t[]){0644, 0600, 0755, 0, 0444}[draw(a, 5)];
    say(a, "chmod %s %o", path, mode);
    say_result(a, chmod(path, mode));
    return;
  }
  case 1: {
    int *fd = slot(a);
    say(a, "fchmod 0711");
    say_result(a, fchmod(*fd, 0711));
    return;
  }
  case 2: {
    int result = utimensat(AT_FDCWD, path, times, 0);
    say(a, "utimes %s", path);
    say_result(a, result);
    if (result == 0 && stat(path, &s) == 0)
      say(a, "  accessed %ld.%ld\n", (long)s.st_atim.tv_sec, s.st_atim.tv_nsec);
    return;
  }
  default: {
    char target[300] = {0};
    long n = readlink(path, target, sizeof target);
    say(a, "readlink %s '%s'", path, target);
    say_result(a, n);
  }
  }
}

static void do_copy(struct actor *a)
{
  int *from = slot(a), *to = slot(a);
  if (from == to)
    return;
  if (draw(a, 2)) {
    say(a, "copy_file_range");
    say_result(a, copy_file_range(*from, NULL, *to, NULL, 50, 0));
  } else {
    say(a, "sendfile");
    say_result(a, sendfile(*to, *from, NULL, 50));
  }
}

static void do_map(struct actor *a)
{
  int *fd = slot(a);
  struct stat s;
  if (fstat(*fd, &s) || !S_ISREG(s.st_mode) || s.st_size == 0)
    return;
  char *view = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_SHARED, *fd, 0);
  say(a, "mmap '%.*s'\n", view == MAP_FAILED ? 0 : (int)s.st_size, view == MAP_FAILED ? "" : view);
  if (view != MAP_FAILED)
    munmap(view, (size_t)s.st_size);
}

static void do_folder(struct actor *a)
{
  static const char *const way[] = {"d", "..", "real-d", ".", "link", "d/e"};
  char here[4096];
  const char *path = way[draw(a, 6)];
  if (!getcwd(here, sizeof here)) {
    say(a, "getcwd");
    say_result(a, -1);
    return;
  }
  const char *last = strrchr(here, '/');
  if (!strcmp(path, "..") && last && !strcmp(last, "/in"))
    return; /* no further */
  say(a, "in %s chdir %s", last ? last : "?", path);
  say_result(a, chdir(path));
}

/* Within a folder by its descriptor. */
static void do_at(struct actor *a)
{
  int folder = open(name(a), O_RDONLY | O_DIRECTORY), fd;
  const char *path = name(a);
  struct stat s;
  switch (draw(a, 4)) {
  case 0:
    fd = openat(folder, path, O_CREAT | O_RDWR | O_NONBLOCK, 0600);
    say(a, "openat %s", path);
    say_result(a, fd < 0 ? -1 : 0);
    if (fd >= 0)
      close(fd);
    break;
  case 1:
    say(a, "mkdirat %s", path);
    say_result(a, mkdirat(folder, path, 0700));
    break;
  case 2:
    say(a, "unlinkat %s", path);
    say_result(a, unlinkat(folder, path, 0));
    break;
  default: {
    int result = fstatat(folder, path, &s, AT_SYMLINK_NOFOLLOW);
    say(a, "fstatat %s", path);
    say_stat(a, result, &s);
  }
  }
  if (folder >= 0)
    close(folder);
}

static void (*const does[])(struct actor *) = {
    do_open, do_open,  do_open,   do_open,   do_close, do_read, do_read,       do_write, do_write, do_write, do_seek, do_truncate,
    do_stat, do_stat,  do_access, do_make,   do_make,  do_make, do_remove,     do_remove, do_rename, do_rename,
    do_list, do_attributes, do_attributes, do_copy,  do_map,  do_at, do_at, do_folder};
#define SINGLE_ONLY 1 /* the last so many: of the whole process */

static void *act(void *of)
{
  struct actor *a = of;
  unsigned n = sizeof does / sizeof *does - (of == &actor[0] && !actor[1].calls ? 0 : SINGLE_ONLY);
  for (int i = 0; i < a->calls; i++)
    does[draw(a, n)](a);
  return NULL;
}

int main(int count, char **word)
{
  if (count < 3)
    return 2;
  bool two = count > 3;
  umask(022);
  for (int i = 0; i < 2; i++) {
    actor[i].state = strtoull(word[1], NULL, 10) * 2 + (uint64_t)i;
    for (int s = 0; s < SLOTS; s++)
      actor[i].fd[s] = -1;
    for (int s = 0; s < 5; s++)
      draw(&actor[i], 2);
  }
  actor[0].calls = atoi(word[2]);
  pthread_t thread;
  if (two) {
    actor[1].calls = actor[0].calls;
    shared_fd = open("a", O_CREAT | O_RDWR, 0600);
    if (write(shared_fd, "0123456789", 10) != 10)
      return 3;
    pthread_create(&thread, NULL, act, &actor[1]);
  }
  act(&actor[0]);
  if (two)
    pthread_join(thread, NULL);
  fputs(actor[0].text, stdout);
  if (two)
    printf("-- the other\n%s", actor[1].text);
  puts("==");
  return 0;
}
