/* SPDX-License-Identifier: Apache-2.0
 *
 * A parent gives its child a pipe to read until its end, which comes when all write ends are closed: but the child has
 * one itself, from the fork. The twin closes it there.
 *
 * verdict: deadlock
 * threads: 2
 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int ends[2];
  assert(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    char c;
#ifdef FIXED
    close(ends[1]);
#endif
    while (read(ends[0], &c, 1) == 1)
      ;
    _exit(0);
  }
  close(ends[0]);
  assert(write(ends[1], "x", 1) == 1);
  close(ends[1]);
  assert(waitpid(child, NULL, 0) == child);
  return 0;
}
