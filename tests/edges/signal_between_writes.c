/* SPDX-License-Identifier: Apache-2.0
 *
 * A signal comes between two writes of memory that only main uses; the handler finds them different. Natively, with
 * pauses, it failed in 20 of 300 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile int first, second;

static void look(int number)
{
  (void)number;
  assert(first == second);
}

static void *sender(void *target)
{
  pthread_kill(*(pthread_t *)target, SIGUSR1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = look};
  pthread_t self = pthread_self(), thread;
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, sender, &self);
  first = 1;
  second = 1;
  pthread_join(thread, NULL);
  return 0;
}
