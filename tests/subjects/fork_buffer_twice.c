/* SPDX-License-Identifier: Apache-2.0
 *
 * A line is in the buffer of a stream when the process forks, and both processes write it out. The twin empties the
 * buffer first. (Fails under every schedule.)
 *
 * verdict: assertion
 * threads: 2
 * runs: 1000
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  struct stat s;
  FILE *log = fopen("line.log", "w");
  assert(log && fputs("begins\n", log) >= 0);
#ifdef FIXED
  fflush(log);
#endif
  pid_t child = fork();
  if (child == 0) {
    fputs("works\n", log);
    exit(0);
  }
  assert(waitpid(child, NULL, 0) == child);
  fclose(log);
  assert(stat("line.log", &s) == 0 && s.st_size == 13);
  return unlink("line.log");
}
