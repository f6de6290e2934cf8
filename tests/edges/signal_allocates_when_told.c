/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler allocates memory, and so does the thread it interrupts; but the signal is sent only when the thread has said
 * that it has done so, and another one only by the thread itself. Neither can come inside malloc().
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

static sem_t done;
static volatile sig_atomic_t came;
static char *volatile block; /* so that no compiler does without it */

static void allocate(int number)
{
  char *volatile p = malloc((size_t)number);
  assert(p);
  free(p);
  came++;
}

static void *tell(void *worker)
{
  sem_wait(&done);
  pthread_kill(*(pthread_t *)worker, SIGUSR1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = allocate, .sa_flags = SA_RESTART};
  pthread_t self = pthread_self(), teller;
  sem_init(&done, 0, 0);
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&teller, NULL, tell, &self);
  block = malloc(10);
  free(block);
  raise(SIGUSR1);
  block = malloc(20);
  free(block);
  sem_post(&done);
  pthread_join(teller, NULL);
  assert(came == 2);
  return 0;
}
