/* SPDX-License-Identifier: Apache-2.0
 *
 * The output of a command through popen.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
  char line[16];
  FILE *command = popen("echo hello", "r");
  assert(command);
  assert(fgets(line, sizeof line, command));
  assert(strcmp(line, "hello\n") == 0);
  assert(pclose(command) == 0);
  return 0;
}
