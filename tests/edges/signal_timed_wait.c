/* SPDX-License-Identifier: Apache-2.0
 *
 * sigtimedwait ends with the signal or with EAGAIN; both are foreseen.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sigset_t set;

static void *sender(void *unused)
{
  (void)unused;
  kill(getpid(), SIGUSR1);
  return NULL;
}

int main(void)
{
  struct timespec patience = {0, 1000000};
  pthread_t thread;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&thread, NULL, sender, NULL);
  int got = sigtimedwait(&set, NULL, &patience);
  assert(got == SIGUSR1 || errno == EAGAIN || errno == EINTR);
  pthread_join(thread, NULL);
  return 0;
}
