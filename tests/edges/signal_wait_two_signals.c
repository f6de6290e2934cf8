/* SPDX-License-Identifier: Apache-2.0
 *
 * A sigwait thread takes a reload and a stop, whichever comes first; both are sent to the process by another thread.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sigset_t set;

static void *keeper(void *unused)
{
  (void)unused;
  int got, seen = 0;
  while (seen != 3) {
    sigwait(&set, &got);
    seen |= got == SIGHUP ? 1 : 2;
  }
  return NULL;
}

static void *sender(void *unused)
{
  (void)unused;
  kill(getpid(), SIGHUP);
  kill(getpid(), SIGTERM);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&thread[0], NULL, keeper, NULL);
  pthread_create(&thread[1], NULL, sender, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
