/* SPDX-License-Identifier: Apache-2.0
 *
 * A value travels with a queued signal to the thread that waits for it.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sigset_t set;

static void *waiter(void *unused)
{
  (void)unused;
  siginfo_t information;
  assert(sigwaitinfo(&set, &information) == SIGRTMIN);
  assert(information.si_value.sival_int == 42);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&thread, NULL, waiter, NULL);
  assert(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 42}) == 0);
  pthread_join(thread, NULL);
  return 0;
}
