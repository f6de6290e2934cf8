/* SPDX-License-Identifier: Apache-2.0
 *
 * Two children write to one pipe, and their parent takes what comes first for the first one's. The twin asks what it is.
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
  int ends[2];
  char got[2];
  assert(pipe(ends) == 0);
  for (int i = 0; i < 2; i++)
    if (fork() == 0) {
      char name = (char)('a' + i);
      _exit(write(ends[1], &name, 1) != 1);
    }
  close(ends[1]);
  assert(read(ends[0], &got[0], 1) == 1);
  assert(read(ends[0], &got[1], 1) == 1);
#ifdef FIXED
  assert(got[0] != got[1]);
#else
  assert(got[0] == 'a' && got[1] == 'b');
#endif
  wait(NULL);
  wait(NULL);
  close(ends[0]);
  return 0;
}
