/* SPDX-License-Identifier: Apache-2.0
 *
 * Two children change their group, to the one that they have: a call that is left to the kernel, and that both make.
 * Neither has to wait for the end of the other.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int status, go[2];
  char c;
  assert(!pipe(go));
  for (int i = 0; i < 2; i++)
    if (fork() == 0) {
      close(go[1]);
      assert(!setgid(getgid()) && read(go[0], &c, 1) == 0);
      _exit(0);
    }
  close(go[1]);
  for (int i = 0; i < 2; i++)
    assert(wait(&status) > 0 && status == 0);
  return 0;
}
