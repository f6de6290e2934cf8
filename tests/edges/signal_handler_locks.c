/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler takes the lock that the thread it interrupts may hold: the thread waits for itself. Natively, with
 * pauses, 5 of 70 runs hung.
 *
 * verdict: noproof
 * kind: deadlock
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void log_it(int number)
{
  (void)number;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

static void *sender(void *target)
{
  pthread_kill(*(pthread_t *)target, SIGUSR1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = log_it};
  pthread_t self = pthread_self(), thread;
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, sender, &self);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
