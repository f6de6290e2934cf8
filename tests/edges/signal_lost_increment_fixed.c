/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler and main increment one counter atomically. When the sender is joined the signal has been delivered: it
 * was sent to main, which runs its handler before the join returns.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int count;

static void add(int number)
{
  (void)number;
  atomic_fetch_add(&count, 1);
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
  atomic_fetch_add(&count, 1);
  pthread_join(thread, NULL);
  assert(atomic_load(&count) == 2);
  return 0;
}
