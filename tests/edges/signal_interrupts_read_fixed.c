/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler was installed with SA_RESTART: the read goes on.
 *
 * verdict: quiet
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
  struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
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
