/* SPDX-License-Identifier: Apache-2.0
 *
 * A child made by clone shares the memory; it and its parent lose an update. Natively, with pauses, it failed in 34 of
 * 300 runs.
 *
 * verdict: noproof
 */
#define _GNU_SOURCE
#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[65536] __attribute__((aligned(16)));
static atomic_int count;

static int child(void *unused)
{
  (void)unused;
  atomic_store(&count, atomic_load(&count) + 1);
  return 0;
}

int main(void)
{
  pid_t pid = clone(child, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
  if (pid < 0)
    return 0;
  atomic_store(&count, atomic_load(&count) + 1);
  waitpid(pid, NULL, 0);
  assert(atomic_load(&count) == 2);
  return 0;
}
