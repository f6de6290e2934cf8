/* SPDX-License-Identifier: Apache-2.0
 *
 * More processes, one after the other, than there are stacks for threads at first; then a thread.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void *run(void *unused)
{
  return unused;
}

int main(void)
{
  for (int i = 0; i < 20; i++) {
    pid_t child = fork();
    if (!child)
      _exit(0);
    assert(waitpid(child, NULL, 0) == child);
  }
  pthread_t thread;
  assert(pthread_create(&thread, NULL, run, NULL) == 0);
  pthread_join(thread, NULL);
  return 0;
}
