/* SPDX-License-Identifier: Apache-2.0
 *
 * All threads block the signal, one waits for it with sigwait, main sends it to the process: the usual design.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sigset_t set;

static void *keeper(void *unused)
{
  (void)unused;
  int got;
  assert(sigwait(&set, &got) == 0);
  assert(got == SIGTERM);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&thread, NULL, keeper, NULL);
  kill(getpid(), SIGTERM);
  pthread_join(thread, NULL);
  return 0;
}
