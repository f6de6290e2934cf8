/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler posts what the thread it interrupts waits for.
 * verdict: none
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>

static sem_t sem;
static pthread_t main_thread;

static void post(int number)
{
  (void)number;
  sem_post(&sem);
}

static void *work(void *arg)
{
  pthread_kill(main_thread, SIGUSR1);
  return arg;
}

int main(void)
{
  pthread_t thread;
  sem_init(&sem, 0, 0);
  signal(SIGUSR1, post);
  main_thread = pthread_self();
  pthread_create(&thread, NULL, work, NULL);
  while (sem_wait(&sem)) {
  }
  pthread_join(thread, NULL);
  return 0;
}
