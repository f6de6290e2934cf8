/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock is taken before the fork and released on both sides, by pthread_atfork.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
  pthread_mutex_lock(&mutex);
}

static void give(void)
{
  pthread_mutex_unlock(&mutex);
}

static void *worker(void *unused)
{
  (void)unused;
  take();
  give();
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int status;
  pthread_atfork(take, give, give);
  pthread_create(&thread, NULL, worker, NULL);
  pid_t child = fork();
  if (child == 0) {
    take();
    give();
    _exit(0);
  }
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  return status;
}
