/* SPDX-License-Identifier: Apache-2.0
 *
 * A child is forked while a thread sets a flag; the status the child reports depends on which came first. Natively,
 * with pauses, it failed in 50 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int flag;

static void *setter(void *unused)
{
  (void)unused;
  atomic_store(&flag, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int status;
  pthread_create(&thread, NULL, setter, NULL);
  pid_t child = fork();
  if (child == 0)
    _exit(atomic_load(&flag));
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  assert(WEXITSTATUS(status) == 0);
  return 0;
}
