/* SPDX-License-Identifier: Apache-2.0
 *
 * What inotify tells of a folder, a file in it and a folder in it, call by call: the number of the watch, what was done,
 * whether it is one of a pair, the name.
 *
 * verdict: complete
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int watch;

static void told(const char *expected)
{
  char buffer[4096], text[512] = "";
  long n = read(watch, buffer, sizeof buffer);
  for (long at = 0; at < n;) {
    const struct inotify_event *e = (const struct inotify_event *)(buffer + at);
    sprintf(text + strlen(text), "%s%d:%x%s%s%s", at ? " " : "", e->wd, e->mask, e->cookie ? "+" : "", e->len ? ":" : "",
            e->len ? e->name : "");
    at += (long)(sizeof *e + e->len);
  }
  assert(n > 0 || (n == -1 && errno == EAGAIN));
  assert(!strcmp(text, expected));
}

static void write_and_read(void)
{
  char text[8];
  int a = open("d/new", O_CREAT | O_RDWR, 0600), b = dup(a);
  told("1:100:new 1:20:new");
  assert(write(a, "abc", 3) == 3 && write(a, "abc", 3) == 3);
  told("1:2:new"); /* the same twice in a row is one */
  assert(pread(a, text, 3, 0) == 3 && read(a, text, 3) == 0 && fsync(a) == 0 && ftruncate(a, 2) == 0);
  told("1:1:new 1:2:new");
  assert(fchmod(a, 0644) == 0 && close(a) == 0);
  told("1:4:new");
  close(b);
  told("1:8:new");
}

static void names(void)
{
  assert(rename("d/new", "d/newer") == 0);
  told("1:40+:new 1:80+:newer");
  assert(rename("d/newer", "d/sub/x") == 0);
  told("1:40+:newer 3:80+:x");
  assert(link("d/f", "d/g") == 0 && unlink("d/g") == 0);
  told("2:4 1:100:g 2:4 1:200:g");
  assert(rename("d/sub/x", "d/f") == 0); /* which is watched, and gone */
  told("3:40+:x 1:80+:f 2:4 2:400 2:8000");
  assert(mkdir("d/q", 0700) == 0 && symlink("f", "d/s") == 0 && unlink("d/s") == 0);
  told("1:40000100:q 1:100:s 1:200:s");
}

static void unlinked(void)
{
  char text[8];
  assert(inotify_add_watch(watch, "d/f", IN_ALL_EVENTS) == 4);
  int a = open("d/f", O_RDONLY);
  assert(a >= 0 && unlink("d/f") == 0);
  told("1:20:f 4:20 4:4 1:200:f");
  assert(read(a, text, 1) == 1 && close(a) == 0);
  told("1:1:f 4:1 1:10:f 4:10 4:400 4:8000");
}

static void watches(void)
{
  int waiting;
  assert(inotify_rm_watch(watch, 1) == 0 && inotify_rm_watch(watch, 1) == -1 && errno == EINVAL);
  told("1:8000");
  assert(inotify_add_watch(watch, "nowhere", IN_OPEN) == -1 && errno == ENOENT);
  assert(inotify_add_watch(watch, "d", 0) == -1 && errno == EINVAL);
  assert(inotify_add_watch(watch, "d", IN_CREATE | IN_ONESHOT) == 5);
  assert(inotify_add_watch(watch, "d", IN_CREATE | IN_MASK_CREATE) == -1 && errno == EEXIST);
  assert(mkdir("d/1", 0700) == 0 && mkdir("d/2", 0700) == 0);
  told("5:40000100:1 5:8000");
  assert(inotify_add_watch(watch, "d", IN_CREATE) == 6 && mkdir("d/a_name_of_its_own", 0700) == 0);
  assert(ioctl(watch, FIONREAD, &waiting) == 0 && waiting == 16 + 32);
  char few[8];
  assert(read(watch, few, sizeof few) == -1 && errno == EINVAL);
  told("6:40000100:a_name_of_its_own");
}

int main(void)
{
  assert(mkdir("d", 0700) == 0 && mkdir("d/sub", 0700) == 0);
  close(open("d/f", O_CREAT | O_WRONLY, 0600));
  watch = inotify_init1(IN_NONBLOCK);
  assert(inotify_add_watch(watch, "d", IN_ALL_EVENTS) == 1);
  assert(inotify_add_watch(watch, "d/f", IN_ALL_EVENTS) == 2);
  assert(inotify_add_watch(watch, "d/sub", IN_ALL_EVENTS) == 3);
  assert(inotify_add_watch(watch, "d", IN_ALL_EVENTS) == 1);
  told("");
  write_and_read();
  names();
  unlinked();
  watches();
  return 0;
}
