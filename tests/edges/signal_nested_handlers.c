/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of one signal may be interrupted by that of another, between its two writes. No thread but main uses that
 * memory, and main's own code does not.
 *
 * verdict: found
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t first, second, torn;

static void writes(int number)
{
  (void)number;
  first++;
  second++;
}

static void looks(int number)
{
  (void)number;
  if (first != second)
    torn = 1;
}

static void *sender(void *target)
{
  pthread_kill(*(pthread_t *)target, SIGUSR1);
  pthread_kill(*(pthread_t *)target, SIGUSR2);
  return NULL;
}

int main(void)
{
  struct sigaction writer = {.sa_handler = writes}, reader = {.sa_handler = looks};
  pthread_t self = pthread_self(), thread;
  sigaction(SIGUSR1, &writer, NULL);
  sigaction(SIGUSR2, &reader, NULL);
  pthread_create(&thread, NULL, sender, &self);
  pthread_join(thread, NULL);
  assert(!torn);
  return 0;
}
