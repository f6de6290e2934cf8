/* SPDX-License-Identifier: Apache-2.0
 *
 * A process makes a pipe of its own before it answers its parent, which makes a descriptor before it reads the answer:
 * the read is never first, whoever searches what comes before what.
 *
 * verdict: complete
 * options: --time 10s
 */
#include <assert.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int answer[2];
  char byte;
  assert(pipe(answer) == 0);
  if (!fork()) {
    int own[2];
    assert(pipe(own) == 0 && write(own[1], "x", 1) == 1 && write(answer[1], "y", 1) == 1);
    _exit(0);
  }
  int set = epoll_create1(0);
  assert(set >= 0 && read(answer[0], &byte, 1) == 1);
  wait(NULL);
  return 0;
}
