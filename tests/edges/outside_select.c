/* SPDX-License-Identifier: Apache-2.0
 *
 * select over a listening socket and a pipe of the program's own.
 *
 * verdict: outside
 * expect-text: waits for input from outside the program
 */
#include <netinet/in.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f};
  int ends[2], server = socket(AF_INET, SOCK_STREAM, 0);
  fd_set set;
  pipe(ends);
  bind(server, (struct sockaddr *)&address, sizeof address);
  listen(server, 4);
  FD_ZERO(&set);
  FD_SET(server, &set);
  FD_SET(ends[0], &set);
  return select((ends[0] > server ? ends[0] : server) + 1, &set, NULL, NULL, NULL) != 1;
}
