/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread waits for a byte from a pipe. A signal may come meanwhile, whose handler does nothing, but ends the wait:
 * the thread takes that for an error of the pipe. The twin tries again.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int fds[2];

static void nothing(int signal)
{
  (void)signal;
}

static void *reader(void *arg)
{
  char c;
  ssize_t n = read(fds[0], &c, 1);
#ifdef FIXED
  while (n < 0 && errno == EINTR)
    n = read(fds[0], &c, 1);
#endif
  assert(n == 1);
  return arg;
}

int main(void)
{
  pthread_t t;
  struct sigaction action = {.sa_handler = nothing};

  assert(pipe(fds) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
  pthread_create(&t, NULL, reader, NULL);
  pthread_kill(t, SIGUSR1);
  assert(write(fds[1], "x", 1) == 1);
  pthread_join(t, NULL);
  close(fds[0]);
  close(fds[1]);
  return 0;
}
