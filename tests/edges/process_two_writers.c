/* SPDX-License-Identifier: Apache-2.0
 *
 * Two children append to one file by way of the inherited offset; the parent counts on their order. Natively, with
 * pauses, it failed in 34 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  char text[2];
  int fd = open("written", O_CREAT | O_TRUNC | O_RDWR, 0600);
  for (int i = 0; i < 2; i++)
    if (fork() == 0) {
      write(fd, i ? "b" : "a", 1);
      _exit(0);
    }
  while (wait(NULL) > 0)
    ;
  pread(fd, text, 2, 0);
  unlink("written");
  assert(text[0] == 'a');
  return 0;
}
