/* SPDX-License-Identifier: Apache-2.0
 *
 * A server that looks at its listening socket every millisecond, for ever: it makes no progress, but it is not stuck
 * either.
 *
 * verdict: outside
 */
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

int main(void)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f};
  struct epoll_event wanted = {.events = EPOLLIN}, ready;
  int server = socket(AF_INET, SOCK_STREAM, 0), epoll = epoll_create1(0);
  bind(server, (struct sockaddr *)&address, sizeof address);
  listen(server, 4);
  epoll_ctl(epoll, EPOLL_CTL_ADD, server, &wanted);
  while (epoll_wait(epoll, &ready, 1, 1) == 0)
    ;
  return 0;
}
