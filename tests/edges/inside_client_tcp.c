/* SPDX-License-Identifier: Apache-2.0
 *
 * A server and its client in one program, over TCP.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = 0x0100007f};

static void *client(void *unused)
{
  (void)unused;
  char byte = 'q';
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
  assert(send(fd, &byte, 1, 0) == 1);
  assert(recv(fd, &byte, 1, 0) == 1 && byte == 'r');
  close(fd);
  return NULL;
}

int main(void)
{
  socklen_t size = sizeof address;
  pthread_t thread;
  char byte;
  int server = socket(AF_INET, SOCK_STREAM, 0);
  assert(bind(server, (struct sockaddr *)&address, sizeof address) == 0);
  assert(listen(server, 4) == 0);
  getsockname(server, (struct sockaddr *)&address, &size);
  pthread_create(&thread, NULL, client, NULL);
  int peer = accept(server, NULL, NULL);
  assert(recv(peer, &byte, 1, 0) == 1);
  byte++;
  assert(send(peer, &byte, 1, 0) == 1);
  pthread_join(thread, NULL);
  close(peer);
  close(server);
  return 0;
}
