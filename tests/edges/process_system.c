/* SPDX-License-Identifier: Apache-2.0
 *
 * A command is run by system().
 *
 * verdict: quiet
 */
#include <assert.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(void)
{
  int status = system("exit 3");
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  return 0;
}
