/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads wait for connections at one socket. One client wakes both, one of them gets it, and the other, which
 * takes it for granted that there is one, finds none. The twin goes on waiting.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener, stop[2];

static void *serve(void *arg)
{
  for (;;) {
    struct pollfd set[] = {{.fd = listener, .events = POLLIN}, {.fd = stop[0], .events = POLLIN}};
    assert(poll(set, 2, -1) > 0);
    if (!(set[0].revents & POLLIN))
      return arg;
    int fd = accept(listener, NULL, NULL);
#ifdef FIXED
    if (fd < 0 && errno == EAGAIN)
      continue;
#endif
    assert(fd >= 0);
    close(fd);
    assert(write(stop[1], "x", 1) == 1); /* one client is all */
    return arg;
  }
}

int main(void)
{
  pthread_t a, b;
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof at;

  assert(pipe(stop) == 0);
  listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  assert(bind(listener, (struct sockaddr *)&at, size) == 0 && listen(listener, 4) == 0);
  assert(getsockname(listener, (struct sockaddr *)&at, &size) == 0);
  pthread_create(&a, NULL, serve, NULL);
  pthread_create(&b, NULL, serve, NULL);
  int client = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(client, (struct sockaddr *)&at, size) == 0);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  close(client);
  close(listener);
  close(stop[0]);
  close(stop[1]);
  return 0;
}
