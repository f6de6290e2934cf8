/* SPDX-License-Identifier: Apache-2.0
 *
 * A signal cuts a sleep short; the program counts on having slept to the end. Natively, with pauses, it failed in 130
 * of 300 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void nothing(int number)
{
  (void)number;
}

static void *sender(void *target)
{
  pthread_kill(*(pthread_t *)target, SIGUSR1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = nothing};
  pthread_t self = pthread_self(), thread;
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, sender, &self);
  unsigned left = sleep(1);
  pthread_join(thread, NULL);
  assert(left == 0);
  return 0;
}
