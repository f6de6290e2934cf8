/* SPDX-License-Identifier: Apache-2.0
 *
 * A reader opens a FIFO that another program will write to.
 *
 * verdict: outside
 * expect-text: waits for input from outside the program
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
  char byte;
  unlink("requests");
  mkfifo("requests", 0600);
  int fd = open("requests", O_RDONLY);
  return read(fd, &byte, 1) != 1;
}
