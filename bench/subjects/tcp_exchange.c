/* SPDX-License-Identifier: Apache-2.0
 *
 * A server and a client in one process: ten messages over a TCP connection on loopback, each answered. Correct.
 */
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MESSAGES = 10 };

static struct sockaddr_in at = {.sin_family = AF_INET};

static void *client(void *unused)
{
  char message[16] = {0};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
  for (char i = 0; i < MESSAGES; i++) {
    message[0] = i;
    assert(send(fd, message, sizeof message, 0) == sizeof message);
    assert(recv(fd, message, sizeof message, MSG_WAITALL) == sizeof message && message[0] == i + 1);
  }
  close(fd);
  return unused;
}

int main(void)
{
  pthread_t other;
  socklen_t size = sizeof at;
  char message[16];
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(bind(listener, (struct sockaddr *)&at, size) == 0 && listen(listener, 4) == 0);
  assert(getsockname(listener, (struct sockaddr *)&at, &size) == 0);
  pthread_create(&other, NULL, client, NULL);
  int fd = accept(listener, NULL, NULL);
  while (recv(fd, message, sizeof message, MSG_WAITALL) == sizeof message) {
    message[0]++;
    assert(send(fd, message, sizeof message, 0) == sizeof message);
  }
  close(fd);
  close(listener);
  pthread_join(other, NULL);
  return 0;
}
