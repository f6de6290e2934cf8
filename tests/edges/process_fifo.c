/* SPDX-License-Identifier: Apache-2.0
 *
 * Two processes open the ends of a FIFO, each waiting for the other; the reader has all that was written, and then the
 * end.
 *
 * verdict: complete
 * options: --time 10s
 */
#include <assert.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  char text[8];
  assert(!mkfifo("between", 0600));
  if (!fork()) {
    int out = open("between", O_WRONLY);
    assert(write(out, "abc", 3) == 3);
    _exit(0);
  }
  int in = open("between", O_RDONLY);
  assert(read(in, text, sizeof text) == 3);
  assert(read(in, text, sizeof text) == 0);
  close(in);
  wait(NULL);
  unlink("between");
  return 0;
}
