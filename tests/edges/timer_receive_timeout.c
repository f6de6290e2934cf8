/* SPDX-License-Identifier: Apache-2.0
 *
 * A socket with a receive timeout: recv gives up with EAGAIN.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>

int main(void)
{
  struct timeval patience = {0, 2000};
  int pair[2];
  char byte;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  assert(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
  assert(recv(pair[0], &byte, 1, 0) == -1 && errno == EAGAIN);
  return 0;
}
