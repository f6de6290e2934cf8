/* SPDX-License-Identifier: Apache-2.0
 *
 * A child ends while one of its threads sleeps: its parent, which sleeps longer than that thread would have, wakes up.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void *run(void *unused)
{
  sleep(3);
  return unused;
}

int main(void)
{
  pid_t child = fork();
  if (!child) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    sleep(1);
    _exit(0);
  }
  int status;
  assert(waitpid(child, &status, 0) == child);
  assert(sleep(5) == 0);
  return 0;
}
