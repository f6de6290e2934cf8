/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler and main increment one counter; the increment the handler makes between main's load and store is lost.
 * Natively, with pauses, it failed in 28 of 300 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile int count;

static void add(int number)
{
  (void)number;
  count = count + 1;
}

static void *sender(void *target)
{
  pthread_kill(*(pthread_t *)target, SIGUSR1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = add};
  pthread_t self = pthread_self(), thread;
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, sender, &self);
  count = count + 1;
  pthread_join(thread, NULL);
  assert(count == 2);
  return 0;
}
