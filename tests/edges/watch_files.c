/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread watches a folder and waits until two files are in their places, moved there and written there, by threads
 * and by a process. What it is told of, and in which order, is what happened.
 *
 * verdict: complete
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void *mover(void *unused)
{
  int fd = open("made", O_CREAT | O_WRONLY, 0600);
  close(fd);
  assert(rename("made", "box/moved") == 0);
  return unused;
}

int main(void)
{
  pthread_t thread;
  char buffer[64];
  unsigned seen = 0;
  mkdir("box", 0700);
  int watch = inotify_init1(IN_CLOEXEC);
  assert(inotify_add_watch(watch, "box", IN_CLOSE_WRITE | IN_MOVED_TO) == 1);
  if (!fork()) {
    int fd = open("box/written", O_CREAT | O_WRONLY, 0600);
    assert(write(fd, "x", 1) == 1);
    _exit(0); /* which closes it */
  }
  pthread_create(&thread, NULL, mover, NULL);
  while (seen != (IN_CLOSE_WRITE | IN_MOVED_TO)) {
    const struct inotify_event *event = (const struct inotify_event *)buffer;
    assert(read(watch, buffer, sizeof *event + 16) == sizeof *event + 16 && event->len == 16);
    assert(!strcmp(event->name, event->mask == IN_MOVED_TO ? "moved" : "written") && !(seen & event->mask));
    seen |= event->mask;
  }
  struct stat s;
  assert(stat("box/written", &s) == 0 && s.st_size == 1 && stat("box/moved", &s) == 0);
  pthread_join(thread, NULL);
  wait(NULL);
  unlink("box/moved");
  unlink("box/written");
  return rmdir("box");
}
