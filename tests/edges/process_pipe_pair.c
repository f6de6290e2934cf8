/* SPDX-License-Identifier: Apache-2.0
 *
 * Parent and child talk through two pipes.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int down[2], up[2];
  char byte = 'a';
  assert(pipe(down) == 0 && pipe(up) == 0);
  pid_t child = fork();
  if (child == 0) {
    read(down[0], &byte, 1);
    byte++;
    write(up[1], &byte, 1);
    _exit(0);
  }
  write(down[1], &byte, 1);
  assert(read(up[0], &byte, 1) == 1);
  assert(byte == 'b');
  waitpid(child, NULL, 0);
  return 0;
}
