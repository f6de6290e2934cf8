/* SPDX-License-Identifier: Apache-2.0
 *
 * A child fills memory that both share and closes its end of a pipe; the parent reads until the end and looks. That is
 * an order, and no race. With the bug the parent has not closed its own end: it waits for itself.
 *
 * tell: main waits to read from descriptor 3, .*; its\s+write end is still open in main, descriptor 4
 */
#include <assert.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int ends[2];
  char byte;
  int *value = mmap(NULL, sizeof *value, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(value != MAP_FAILED && pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    *value = 1;
    close(ends[1]);
    _exit(0);
  }
#ifdef FIXED
  close(ends[1]);
#endif
  assert(read(ends[0], &byte, 1) == 0);
  assert(*value == 1);
  *value = 2;
  assert(waitpid(child, NULL, 0) == child);
  return 0;
}
