/* SPDX-License-Identifier: Apache-2.0
 *
 * wait() tells of whichever child ended first; the parent counts on the first one it forked. Natively, with pauses, it
 * failed in 23 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  pid_t child[2];
  for (int i = 0; i < 2; i++) {
    child[i] = fork();
    if (child[i] == 0)
      _exit(0);
  }
  pid_t first = wait(NULL);
  wait(NULL);
  assert(first == child[0]);
  return 0;
}
