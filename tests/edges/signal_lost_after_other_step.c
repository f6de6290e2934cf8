/* SPDX-License-Identifier: Apache-2.0
 *
 * The helper tells main that it is there before it sends the signal that main waits for; main looks at a flag and then
 * waits, so that a signal between the two is lost. The story shows the step that sent it, not only the one before.
 *
 * verdict: found
 * kind: deadlock
 * expect-text: sends
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t came;
static int jobs;
static pthread_t waiter;

static void note(int signal)
{
  (void)signal;
  came = 1;
}

static void *helper(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&mutex);
  jobs = 1;
  pthread_mutex_unlock(&mutex);
  pthread_kill(waiter, SIGUSR1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  struct sigaction action = {.sa_handler = note};
  waiter = pthread_self();
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, helper, NULL);
  if (!came)
    pause();
  pthread_join(thread, NULL);
  return 0;
}
