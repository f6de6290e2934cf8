/* SPDX-License-Identifier: Apache-2.0
 *
 * A watcher waits for a change in a folder.
 *
 * verdict: outside
 */
#include <sys/inotify.h>
#include <unistd.h>

int main(void)
{
  char buffer[4096];
  int fd = inotify_init1(0);
  inotify_add_watch(fd, ".", IN_CREATE);
  return read(fd, buffer, sizeof buffer) <= 0;
}
