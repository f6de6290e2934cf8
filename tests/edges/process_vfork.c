/* SPDX-License-Identifier: Apache-2.0
 *
 * vfork and exec, as shells do it.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int status;
  pid_t child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", (char *)0);
    _exit(127);
  }
  assert(waitpid(child, &status, 0) == child);
  assert(status == 0);
  return 0;
}
