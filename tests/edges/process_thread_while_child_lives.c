/* SPDX-License-Identifier: Apache-2.0
 *
 * A child lives in the background while two threads of this process lose an update: that bug is still found. Natively,
 * with pauses, it failed in 15 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int count;

static void *worker(void *unused)
{
  (void)unused;
  atomic_store(&count, atomic_load(&count) + 1);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  assert(atomic_load(&count) == 2);
  return 0;
}
