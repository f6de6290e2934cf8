/* SPDX-License-Identifier: Apache-2.0
 *
 * A server and its client in another process: ten messages over a TCP connection on loopback, each answered. Correct.
 */
#include <assert.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGES = 10 };

static struct sockaddr_in at = {.sin_family = AF_INET};

static void be_client(void)
{
  char message[16] = {0};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
  for (char i = 0; i < MESSAGES; i++) {
    message[0] = i;
    assert(send(fd, message, sizeof message, 0) == sizeof message);
    assert(recv(fd, message, sizeof message, MSG_WAITALL) == sizeof message && message[0] == i + 1);
  }
  _exit(0);
}

int main(void)
{
  socklen_t size = sizeof at;
  char message[16];
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(bind(listener, (struct sockaddr *)&at, size) == 0 && listen(listener, 4) == 0);
  assert(getsockname(listener, (struct sockaddr *)&at, &size) == 0);
  pid_t client = fork();
  if (client == 0)
    be_client();
  int fd = accept(listener, NULL, NULL);
  while (recv(fd, message, sizeof message, MSG_WAITALL) == sizeof message) {
    message[0]++;
    assert(send(fd, message, sizeof message, 0) == sizeof message);
  }
  close(fd);
  close(listener);
  assert(waitpid(client, NULL, 0) == client);
  return 0;
}
