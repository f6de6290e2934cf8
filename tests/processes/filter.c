/* SPDX-License-Identifier: Apache-2.0
 *
 * A line is still in the buffer of a stream when the program forks, and printed twice; a filter read by popen() runs beside it.
 * The twin flushes before.
 *
 * tell: assertion failed: ftell\(log\) == 12
 * tell: reads from +descriptor \d+ \(pipe from filter\.c:\d+\) +from P2
 * tell: waits for a child to end +→ P2
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  char line[64] = "";
  FILE *log = fopen("/tmp/filter.log", "w+");
  assert(log);
  fprintf(log, "begin\n");
#ifdef FIXED
  fflush(log);
#endif
  pid_t child = fork();
  if (child == 0) {
    fprintf(log, "child\n");
    fflush(log);
    _exit(0);
  }
  FILE *filter = popen("echo ready", "r");
  assert(filter && fgets(line, sizeof line, filter));
  assert(strcmp(line, "ready\n") == 0);
  pclose(filter);
  waitpid(child, NULL, 0);
  fflush(log);
  assert(ftell(log) == 12);
  return 0;
}
