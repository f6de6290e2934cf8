/* SPDX-License-Identifier: Apache-2.0
 *
 * recvmmsg takes two datagrams at once.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

static int pair[2];

static void *sender(void *unused)
{
  (void)unused;
  send(pair[0], "one", 3, 0);
  send(pair[0], "two", 3, 0);
  return NULL;
}

int main(void)
{
  static char text[2][8192];
  struct iovec part[2] = {{text[0], 8192}, {text[1], 8192}};
  struct mmsghdr message[2] = {{.msg_hdr = {.msg_iov = &part[0], .msg_iovlen = 1}},
                               {.msg_hdr = {.msg_iov = &part[1], .msg_iovlen = 1}}};
  pthread_t thread;
  assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
  pthread_create(&thread, NULL, sender, NULL);
  assert(recvmmsg(pair[1], message, 2, 0, NULL) == 2);
  assert(message[1].msg_len == 3 && memcmp(text[1], "two", 3) == 0);
  pthread_join(thread, NULL);
  return 0;
}
