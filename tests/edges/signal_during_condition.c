/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that waits on a condition runs a handler and goes on waiting.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static atomic_int handled;

static void note(int number)
{
  (void)number;
  atomic_store(&handled, 1);
}

static void *worker(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  while (!ready)
    pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = note};
  pthread_t thread;
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
