/* SPDX-License-Identifier: Apache-2.0
 *
 * A server keeps its FIFO open for writing, too, so that it never comes to its end, and waits for requests.
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
  mkfifo("requests", 0600);
  int fd = open("requests", O_RDWR);
  return read(fd, &byte, 1) != 1;
}
