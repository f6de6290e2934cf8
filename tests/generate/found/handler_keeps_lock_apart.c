/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread is interrupted when it is about to lock: its handler takes steps, and meanwhile the mutex may be gone.
 * verdict: none
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic int handled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void handle(int number)
{
  (void)number;
  handled++;
}

static void *work(void *arg)
{
  handled++;
  pthread_mutex_lock(&mutex);
  inside++;
  assert(inside == 1);
  inside--;
  pthread_mutex_unlock(&mutex);
  return arg;
}

int main(void)
{
  pthread_t a, b;
  signal(SIGUSR1, handle);
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_kill(a, SIGUSR1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
