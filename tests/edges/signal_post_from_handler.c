/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler may post a semaphore; main waits for it and goes on after EINTR.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sem_t semaphore;

static void post(int number)
{
  (void)number;
  sem_post(&semaphore);
}

static void *sender(void *unused)
{
  (void)unused;
  kill(getpid(), SIGUSR1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = post};
  pthread_t thread;
  sem_init(&semaphore, 0, 0);
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, sender, NULL);
  while (sem_wait(&semaphore) != 0)
    assert(errno == EINTR);
  pthread_join(thread, NULL);
  return 0;
}
