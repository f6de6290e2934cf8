/* SPDX-License-Identifier: Apache-2.0
 *
 * Who calls vfork() goes on after the child ran a program or ended, whether heddle controls the program or not.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  _Atomic int *told = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = vfork();
  if (!child) {
    *told = 1;
    _exit(3);
  }
  assert(*told == 1);
  int status;
  assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
  return 0;
}
