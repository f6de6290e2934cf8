/* SPDX-License-Identifier: Apache-2.0
 *
 * Bug: a file is replaced by removing it and renaming the new one to its place; in between there is none. rename()
 * alone replaces it at once.
 * Interleaving: writer unlink(); reader open() fails; writer rename().
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void make(const char *name, const char *text)
{
  int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  assert(write(fd, text, 3) == 3);
  close(fd);
}

static void *writer(void *unused)
{
  (void)unused;
  make("table.new", "new");
#ifndef FIXED
  unlink("table");
#endif
  assert(rename("table.new", "table") == 0);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  char text[4] = "";
  make("table", "old");
  pthread_create(&thread, NULL, writer, NULL);
  int fd = open("table", O_RDONLY);
  assert(fd >= 0);
  assert(read(fd, text, 3) == 3);
  close(fd);
  pthread_join(thread, NULL);
  unlink("table");
  return 0;
}
