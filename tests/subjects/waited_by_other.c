/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads each start a child and wait for "a child": one may take the status of the other's, and is told the wrong one. The twin
 * waits for its own.
 *
 * verdict: assertion
 * threads: 5
 * runs: 3000
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

static void *run(void *number)
{
  int status;
  pid_t child = fork();
  if (child == 0)
    _exit((int)(intptr_t)number);
#ifdef FIXED
  assert(waitpid(child, &status, 0) == child);
#else
  assert(waitpid(-1, &status, 0) > 0);
#endif
  assert(WEXITSTATUS(status) == (int)(intptr_t)number);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (intptr_t i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, run, (void *)(i + 1));
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
