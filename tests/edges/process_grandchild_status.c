/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread sets a flag while main forks; a child of the child, which touches nothing itself before, reports it. It has the
 * memory of its parent's parent.
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
  atomic_store(&flag, 1);
  return unused;
}

int main(void)
{
  pthread_t thread;
  int status;
  pthread_create(&thread, NULL, setter, NULL);
  pid_t child = fork();
  if (child == 0) {
    if (fork() == 0)
      _exit(atomic_load(&flag));
    wait(&status);
    _exit(WEXITSTATUS(status));
  }
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  assert(WEXITSTATUS(status) == 0);
  return 0;
}
