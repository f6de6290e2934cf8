/* SPDX-License-Identifier: Apache-2.0
 *
 * A child makes its end of an inherited socket non-blocking, so as not to wait; but the flag belongs to the open description,
 * which the parent has too, and whose read then fails. The twin asks for one call only not to wait.
 *
 * verdict: assertion
 * threads: 2
 */
#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int pair[2];
  char byte;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  if (fork() == 0) {
#ifdef FIXED
    recv(pair[0], &byte, 1, MSG_DONTWAIT | MSG_PEEK);
#else
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    recv(pair[0], &byte, 1, MSG_PEEK);
#endif
    assert(write(pair[1], "x", 1) == 1);
    _exit(0);
  }
  assert(read(pair[0], &byte, 1) == 1);
  assert(wait(NULL) > 0);
  return 0;
}
