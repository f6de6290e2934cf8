/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread sets a flag while main is still busy elsewhere, and may have ended before main forks; what the child reports
 * depends on which came first all the same.
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
  pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
  pthread_t thread;
  int status;
  pthread_create(&thread, NULL, setter, NULL);
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&busy);
    pthread_mutex_unlock(&busy);
  }
  pid_t child = fork();
  if (child == 0)
    _exit(atomic_load(&flag) == 0);
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  assert(WEXITSTATUS(status) == 0);
  return 0;
}
