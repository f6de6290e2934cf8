/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker sends lines to a logger process over a pipe and stops it by a flag in shared memory; the logger looks at the flag
 * before it has read all. The twin reads until the pipe ends.
 *
 * tell: assertion failed: s->written == 2
 * tell: P1 is a child of main, forked at logger\.c:\d+
 * tell: main +logger\.c:\d+ +writes to +descriptor 4 \(pipe from logger\.c:\d+\)
 * tell: P1 +logger\.c:\d+ +atomically reads +s->stop +→ 1
 * tell: waits for a child to end +→ P1
 */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
  int written;
  atomic_int stop;
};

static void log_lines(int from, struct shared *s)
{
  char line;
#ifdef FIXED
  while (read(from, &line, 1) == 1)
    s->written++;
#else
  while (!atomic_load(&s->stop))
    if (read(from, &line, 1) == 1)
      s->written++;
#endif
  _exit(0);
}

int main(void)
{
  int lines[2];
  struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(s != MAP_FAILED && pipe(lines) == 0);
  pid_t logger = fork();
  if (logger == 0) {
    close(lines[1]);
    log_lines(lines[0], s);
  }
  close(lines[0]);
  write(lines[1], "a", 1);
  write(lines[1], "b", 1);
  atomic_store(&s->stop, 1);
  close(lines[1]);
  waitpid(logger, NULL, 0);
  assert(s->written == 2);
  return 0;
}
