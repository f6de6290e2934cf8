/* SPDX-License-Identifier: Apache-2.0
 *
 * A set of signals that two threads use is memory as any other. Natively, with pauses, it failed in 54 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static sigset_t set;

static void *adds(void *unused)
{
  (void)unused;
  sigaddset(&set, SIGUSR1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  sigemptyset(&set);
  pthread_create(&thread, NULL, adds, NULL);
  int there = sigismember(&set, SIGUSR1);
  assert(!there);
  pthread_join(thread, NULL);
  return 0;
}
