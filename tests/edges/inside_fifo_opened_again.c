/* SPDX-License-Identifier: Apache-2.0
 *
 * A reader opens the FIFO again for the next writer, once too often: both writers of the program have come together, and
 * nobody will open the other end any more.
 *
 * verdict: found
 * kind: deadlock
 * expect-text: nobody has it open to write any more
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_one(void)
{
  int out = open("jobs", O_WRONLY);
  write(out, "x", 1);
  _exit(0);
}

int main(void)
{
  char byte;
  mkfifo("jobs", 0600);
  for (int i = 0; i < 2; i++)
    if (!fork())
      write_one();
  for (int i = 0; i < 2; i++) {
    int in = open("jobs", O_RDONLY);
    while (read(in, &byte, 1) == 1)
      ;
    close(in);
  }
  while (wait(NULL) > 0)
    ;
  unlink("jobs");
  return 0;
}
