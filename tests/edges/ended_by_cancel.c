/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread waits until it is cancelled. Main cancels it, and then reads a variable of it, which may be gone.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t ready, never;
static int *number;

static void *wait(void *unused)
{
  int five = 5;
  number = &five;
  sem_post(&ready);
  sem_wait(&never);
  return unused;
}

int main(void)
{
  pthread_t thread;
  sem_init(&ready, 0, 0);
  sem_init(&never, 0, 0);
  pthread_create(&thread, NULL, wait, NULL);
  sem_wait(&ready);
  pthread_cancel(thread);
  assert(*number == 5);
  pthread_join(thread, NULL);
  return 0;
}
