/* SPDX-License-Identifier: Apache-2.0
 *
 * The signal is blocked while the two writes are under way.
 *
 * verdict: quiet
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
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, sender, &self);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  first = 1;
  second = 1;
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  pthread_join(thread, NULL);
  return 0;
}
