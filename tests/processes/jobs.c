/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue of jobs made from two pipes: workers take numbers from one, results go into the other. A worker that has the write
 * end of the jobs itself never sees their end. The twin closes it.
 *
 * tell: deadlock: main, P1 and P2 each wait for a descriptor that will never be ready
 * tell: P1 waits to read from descriptor 3, the read end of the pipe made at jobs\.c:\d+ \(jobs\.c:\d+\); its write\s+end is still open in P1, descriptor 4, and in P2, descriptor 4
 * tell: reads from +descriptor 3 \(pipe from jobs\.c:\d+\) +from main
 */
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int jobs[2], results[2], sum = 0;
  char job;
  assert(pipe(jobs) == 0 && pipe(results) == 0);
  for (int w = 0; w < 2; w++)
    if (fork() == 0) {
#ifdef FIXED
      close(jobs[1]);
#endif
      while (read(jobs[0], &job, 1) == 1) {
        job *= 2;
        write(results[1], &job, 1);
      }
      _exit(0);
    }
  close(jobs[0]);
  close(results[1]);
  for (job = 1; job <= 2; job++)
    write(jobs[1], &job, 1);
  close(jobs[1]);
  while (read(results[0], &job, 1) == 1)
    sum += job;
  while (wait(NULL) > 0)
    ;
  assert(sum == 6);
  return 0;
}
