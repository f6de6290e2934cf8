/* SPDX-License-Identifier: Apache-2.0
 *
 * Main looks, and sleeps, and looks again, until its child has set a flag in memory that both have. The child takes its time,
 * but it comes: this is no livelock.
 *
 * verdict: quiet
 */
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  atomic_int *flag = mmap(NULL, sizeof *flag, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = fork();
  if (child == 0) {
    for (volatile long i = 0; i < 100000000; i++)
      ;
    *flag = 1;
    _exit(0);
  }
  while (!*flag)
    usleep(100);
  waitpid(child, NULL, 0);
  return 0;
}
