/* SPDX-License-Identifier: Apache-2.0
 *
 * A server process serves a client by a child of its own, and closes the connection when it has said all: but the child has the same
 * socket, so that the client does not see the end, and the child waits for the client. The twin shuts it down.
 *
 * verdict: deadlock
 * threads: 3
 * runs: 3000
 */
#include <assert.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void watch_client(int connection)
{
  char byte;
  while (read(connection, &byte, 1) > 0)
    ;
  _exit(0);
}

static void be_client(int connection)
{
  char byte;
  while (read(connection, &byte, 1) > 0)
    ;
  _exit(0);
}

int main(void)
{
  int pair[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  if (fork() == 0) {
    close(pair[0]);
    be_client(pair[1]);
  }
  close(pair[1]);
  if (fork() == 0)
    watch_client(pair[0]);
  assert(write(pair[0], "x", 1) == 1);
#ifdef FIXED
  shutdown(pair[0], SHUT_WR);
#endif
  close(pair[0]);
  while (wait(NULL) > 0)
    ;
  return 0;
}
