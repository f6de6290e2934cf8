/* SPDX-License-Identifier: Apache-2.0
 *
 * accept on a non-blocking socket and poll with a timeout: the program ends by itself when nobody comes.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>

int main(void)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f};
  int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  bind(server, (struct sockaddr *)&address, sizeof address);
  listen(server, 4);
  struct pollfd wanted = {server, POLLIN, 0};
  assert(poll(&wanted, 1, 10) == 0);
  assert(accept(server, NULL, NULL) == -1);
  return 0;
}
