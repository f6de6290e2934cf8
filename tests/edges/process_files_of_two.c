/* SPDX-License-Identifier: Apache-2.0
 *
 * A process and its child make a file each, at the same time: each has what was written to it.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void put(const char *name, const char *text)
{
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert(fd >= 0 && write(fd, text, 1) == 1);
  close(fd);
}

static char get(const char *name)
{
  char c = 0;
  int fd = open(name, O_RDONLY);
  assert(fd >= 0 && read(fd, &c, 1) == 1);
  close(fd);
  return c;
}

int main(void)
{
  if (fork() == 0) {
    put("files-of-two.child", "c");
    _exit(0);
  }
  put("files-of-two.parent", "p");
  wait(NULL);
  assert(get("files-of-two.child") == 'c');
  assert(get("files-of-two.parent") == 'p');
  return 0;
}
