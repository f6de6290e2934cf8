/* SPDX-License-Identifier: Apache-2.0
 *
 * The self-pipe trick: the handler writes a byte, the main loop polls the pipe.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void note(int number)
{
  (void)number;
  int saved = errno;
  write(ends[1], "x", 1);
  errno = saved;
}

static void *sender(void *unused)
{
  (void)unused;
  kill(getpid(), SIGTERM);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = note};
  struct pollfd wanted;
  pthread_t thread;
  assert(pipe(ends) == 0);
  sigaction(SIGTERM, &action, NULL);
  pthread_create(&thread, NULL, sender, NULL);
  wanted = (struct pollfd){ends[0], POLLIN, 0};
  while (poll(&wanted, 1, -1) != 1)
    assert(errno == EINTR);
  pthread_join(thread, NULL);
  return 0;
}
