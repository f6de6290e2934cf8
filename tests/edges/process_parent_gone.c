/* SPDX-License-Identifier: Apache-2.0
 *
 * A grandchild asks who its parent is, and takes it for granted that it is still there.
 *
 * verdict: found
 * expect-text: ends its process
 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int answer[2];
  char same;
  assert(pipe(answer) == 0);
  if (fork() == 0) {
    pid_t parent = getpid();
    if (fork() == 0) {
      same = getppid() == parent;
      assert(write(answer[1], &same, 1) == 1);
    }
    _exit(0);
  }
  assert(read(answer[0], &same, 1) == 1);
  wait(NULL);
  assert(same);
  return 0;
}
