/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader takes one message and goes. If it is gone before the second is written, the writer gets SIGPIPE, of
 * which a program dies. The twin ignores the signal and takes the error for the end.
 *
 * verdict: crash
 * threads: 2
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int fds[2];

static void *reader(void *arg)
{
  char c;
  assert(read(fds[0], &c, 1) == 1);
  close(fds[0]);
  return arg;
}

int main(void)
{
  pthread_t t;

  assert(pipe(fds) == 0);
#ifdef FIXED
  signal(SIGPIPE, SIG_IGN);
#endif
  pthread_create(&t, NULL, reader, NULL);
  assert(write(fds[1], "x", 1) == 1);
  assert(write(fds[1], "y", 1) == 1 || errno == EPIPE);
  pthread_join(t, NULL);
  close(fds[1]);
  return 0;
}
