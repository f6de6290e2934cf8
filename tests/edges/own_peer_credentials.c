/* SPDX-License-Identifier: Apache-2.0
 *
 * SO_PEERCRED of a pair of sockets names the process that made the pair, this one.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
  int ends[2];
  struct ucred peer;
  socklen_t size = sizeof peer;
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  assert(getsockopt(ends[0], SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0);
  assert(peer.pid == getpid());
  return 0;
}
