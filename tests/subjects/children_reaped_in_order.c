/* SPDX-License-Identifier: Apache-2.0
 *
 * A parent of two children takes the one that wait() tells of first for the one that it started first. The twin asks
 * for each by its number.
 *
 * verdict: assertion
 * threads: 3
 * runs: 3000
 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  pid_t child[2];
  for (int i = 0; i < 2; i++)
    if ((child[i] = fork()) == 0)
      _exit(i);
  for (int i = 0; i < 2; i++) {
    int status;
#ifdef FIXED
    assert(waitpid(child[i], &status, 0) == child[i]);
#else
    assert(wait(&status) == child[i]);
#endif
    assert(WEXITSTATUS(status) == i);
  }
  return 0;
}
