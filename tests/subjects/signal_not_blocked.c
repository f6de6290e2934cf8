/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread waits for SIGTERM with sigwait(). It blocks the signal itself, and main, which does not, may get it: then that is
 * the end of the program. The twin blocks it before there are threads.
 *
 * verdict: crash
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static sigset_t end;

static void *wait_for_end(void *unused)
{
  (void)unused;
  int signal;
#ifndef FIXED
  pthread_sigmask(SIG_BLOCK, &end, NULL);
#endif
  assert(sigwait(&end, &signal) == 0 && signal == SIGTERM);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
#ifdef FIXED
  pthread_sigmask(SIG_BLOCK, &end, NULL);
#endif
  pthread_create(&thread, NULL, wait_for_end, NULL);
  kill(getpid(), SIGTERM);
  pthread_join(thread, NULL);
  return 0;
}
