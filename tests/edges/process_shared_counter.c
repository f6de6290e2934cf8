/* SPDX-License-Identifier: Apache-2.0
 *
 * Parent and child lose an update of a counter in shared memory. Natively, with pauses, it failed in 33 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  atomic_int *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = fork();
  atomic_store(count, atomic_load(count) + 1);
  if (child == 0)
    _exit(0);
  waitpid(child, NULL, 0);
  assert(atomic_load(count) == 2);
  return 0;
}
