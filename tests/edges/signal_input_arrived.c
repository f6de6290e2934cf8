/* SPDX-License-Identifier: Apache-2.0
 *
 * O_ASYNC: the kernel sends SIGIO to the owner of a socket when something arrives there. No failure in 200 native
 * runs.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile sig_atomic_t has_arrived;

static void note(int number)
{
  (void)number;
  has_arrived = 1;
}

int main(void)
{
  int ends[2];
  signal(SIGIO, note);
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  fcntl(ends[0], F_SETOWN, getpid());
  fcntl(ends[0], F_SETFL, O_ASYNC);
  assert(write(ends[1], "x", 1) == 1);
  for (int i = 0; i < 100 && !has_arrived; i++)
    usleep(1000);
  assert(has_arrived);
  return 0;
}
