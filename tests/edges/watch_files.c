/* SPDX-License-Identifier: Apache-2.0
 *
 * A program watches a folder and waits until two files are in their places, one that a process wrote there and one that it
 * moved there. What it is told of, and in which order, is what happened; files that the end of the process closes count.
 *
 * verdict: complete
 * options: --time 10s
 */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void hear(int watch, uint32_t what, const char *name)
{
  char buffer[64];
  const struct inotify_event *event = (const struct inotify_event *)buffer;
  assert(read(watch, buffer, sizeof *event + 16) == sizeof *event + 16 && event->len == 16);
  assert(event->mask == what && !strcmp(event->name, name));
}

int main(void)
{
  struct stat s;
  assert(mkdir("box", 0700) == 0);
  int watch = inotify_init1(IN_CLOEXEC);
  assert(inotify_add_watch(watch, "box", IN_CLOSE_WRITE | IN_MOVED_TO) == 1);
  if (!fork()) {
    close(open("made", O_CREAT | O_WRONLY, 0600));
    assert(rename("made", "box/moved") == 0);
    int fd = open("box/written", O_CREAT | O_WRONLY, 0600);
    assert(write(fd, "x", 1) == 1);
    _exit(0); /* which closes it */
  }
  hear(watch, IN_MOVED_TO, "moved");
  assert(stat("box/moved", &s) == 0);
  hear(watch, IN_CLOSE_WRITE, "written");
  assert(stat("box/written", &s) == 0 && s.st_size == 1);
  wait(NULL);
  unlink("box/moved");
  unlink("box/written");
  return rmdir("box");
}
