/* SPDX-License-Identifier: Apache-2.0
 *
 * Two children set their user, one after the other, while others of heddle's own processes must not.
 *
 * verdict: quiet
 * expect-text: no bug
 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  for (int i = 0; i < 2; i++) {
    pid_t child = fork();
    if (!child)
      _exit(setuid(getuid()) ? 1 : 0);
    int status;
    assert(wait(&status) == child && status == 0);
  }
  return 0;
}
