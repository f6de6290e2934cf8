/* SPDX-License-Identifier: Apache-2.0
 *
 * An epoll server over a Unix socket, with two clients as threads of the same program.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "inside.sock"};

static void *client(void *unused)
{
  (void)unused;
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  assert(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
  assert(write(fd, "x", 1) == 1);
  close(fd);
  return NULL;
}

int main(void)
{
  struct epoll_event wanted = {.events = EPOLLIN}, ready;
  pthread_t thread[2];
  int closed = 0, epoll = epoll_create1(0), server = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink("inside.sock");
  assert(bind(server, (struct sockaddr *)&address, sizeof address) == 0);
  assert(listen(server, 4) == 0);
  wanted.data.fd = server;
  epoll_ctl(epoll, EPOLL_CTL_ADD, server, &wanted);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, client, NULL);
  while (closed < 2) {
    char byte;
    assert(epoll_wait(epoll, &ready, 1, -1) == 1);
    if (ready.data.fd == server) {
      wanted.data.fd = accept(server, NULL, NULL);
      epoll_ctl(epoll, EPOLL_CTL_ADD, wanted.data.fd, &wanted);
    } else if (read(ready.data.fd, &byte, 1) == 0) {
      close(ready.data.fd);
      closed++;
    }
  }
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  close(server);
  unlink("inside.sock");
  return 0;
}
