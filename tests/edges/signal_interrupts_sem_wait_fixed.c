/* SPDX-License-Identifier: Apache-2.0
 *
 * sem_wait is called again after EINTR.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>

static sem_t semaphore;

static void nothing(int number)
{
  (void)number;
}

static void *sender(void *target)
{
  pthread_kill(*(pthread_t *)target, SIGUSR1);
  sem_post(&semaphore);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = nothing};
  pthread_t self = pthread_self(), thread;
  sem_init(&semaphore, 0, 0);
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, sender, &self);
  while (sem_wait(&semaphore) != 0)
    assert(errno == EINTR);
  pthread_join(thread, NULL);
  return 0;
}
