/* SPDX-License-Identifier: Apache-2.0
 *
 * A command is started with posix_spawn by a thread, which waits for it.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>

extern char **environ;

static void *starter(void *unused)
{
  (void)unused;
  char *arguments[] = {"false", NULL};
  pid_t child;
  int status;
  assert(posix_spawn(&child, "/bin/false", NULL, NULL, arguments, environ) == 0);
  assert(waitpid(child, &status, 0) == child);
  assert(WEXITSTATUS(status) == 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, starter, NULL);
  pthread_join(thread, NULL);
  return 0;
}
