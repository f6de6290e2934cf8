/* SPDX-License-Identifier: Apache-2.0
 *
 * A read is interrupted by a handler that does not restart it. Natively, with pauses, it failed in 152 of 300 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void nothing(int number)
{
  (void)number;
}

static void *sender(void *target)
{
  pthread_kill(*(pthread_t *)target, SIGUSR1);
  write(ends[1], "x", 1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = nothing};
  pthread_t self = pthread_self(), thread;
  char byte;
  assert(pipe(ends) == 0);
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, sender, &self);
  long count = read(ends[0], &byte, 1);
  pthread_join(thread, NULL);
  assert(count == 1);
  return 0;
}
