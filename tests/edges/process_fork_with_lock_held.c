/* SPDX-License-Identifier: Apache-2.0
 *
 * A child wants the lock that another thread held when the process was forked: nobody is left in the child to release
 * it. Natively, with pauses, 5 of 32 runs hung.
 *
 * verdict: find
 * kind: deadlock
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
  (void)unused;
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int status;
  pthread_create(&thread, NULL, worker, NULL);
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    _exit(0);
  }
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  return 0;
}
