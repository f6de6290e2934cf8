/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread waits for a signal that tells it that the answer is there: it looks whether it has come, and pauses if not.
 * When the signal comes in between, nothing ends the pause. The twin lets the signal in only while it waits (sigsuspend).
 *
 * verdict: deadlock
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t told;
static int answer;

static void on_signal(int signal)
{
  (void)signal;
  told = 1;
}

static void *asks(void *unused)
{
  sigset_t usual, blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, NULL, &usual);
  sigdelset(&usual, SIGUSR1);
#ifdef FIXED
  while (!told)
    sigsuspend(&usual);
#else
  pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
  while (!told)
    pause();
#endif
  assert(answer == 42);
  return unused;
}

int main(void)
{
  pthread_t thread;
  sigset_t blocked;
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  pthread_create(&thread, NULL, asks, NULL);
  answer = 42;
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
