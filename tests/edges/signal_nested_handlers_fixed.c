/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler that writes blocks the signal of the one that looks, so that nothing comes between its two writes.
 *
 * verdict: complete
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
  sigaddset(&writer.sa_mask, SIGUSR2);
  sigaction(SIGUSR1, &writer, NULL);
  sigaction(SIGUSR2, &reader, NULL);
  pthread_create(&thread, NULL, sender, &self);
  pthread_join(thread, NULL);
  assert(!torn);
  return 0;
}
