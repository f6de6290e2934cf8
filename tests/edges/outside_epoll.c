/* SPDX-License-Identifier: Apache-2.0
 *
 * An epoll loop over a listening socket.
 *
 * verdict: outside
 * expect-text: waits for input from outside the program
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
  return epoll_wait(epoll, &ready, 1, -1) != 1;
}
