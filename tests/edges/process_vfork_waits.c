/* SPDX-License-Identifier: Apache-2.0
 *
 * After vfork() the parent goes on when the child has run its program or ended, not earlier: what the child did before is
 * there. But the child may still be on its way out, so that a look finds no status yet.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int status, *word = mmap(NULL, sizeof *word, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = vfork();
  if (child == 0) {
    *word = 1;
    execl("/bin/true", "true", (char *)0);
    _exit(1);
  }
  assert(*word == 1);
  assert(waitpid(child, &status, 0) == child && status == 0);
  child = vfork();
  if (child == 0) {
    *word = 2;
    _exit(3);
  }
  assert(*word == 2);
  pid_t found = waitpid(child, &status, WNOHANG);
  if (!found)
    found = waitpid(child, &status, 0);
  assert(found == child && WEXITSTATUS(status) == 3);
  return 0;
}
