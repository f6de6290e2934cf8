/* SPDX-License-Identifier: Apache-2.0
 *
 * A message larger than a socket holds, sent by sendmsg() and received whole by recvmsg().
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>

static int ends[2];
static char sent[500000], received[2][250000];

static void *receiver(void *unused)
{
  (void)unused;
  struct iovec parts[2] = {{received[0], sizeof received[0]}, {received[1], sizeof received[1]}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  assert(recvmsg(ends[1], &message, MSG_WAITALL) == (long)sizeof received);
  assert(received[0][0] == 1 && received[1][sizeof received[1] - 1] == 2);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  struct iovec part = {sent, sizeof sent};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  sent[0] = 1;
  sent[sizeof sent - 1] = 2;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pthread_create(&thread, NULL, receiver, NULL);
  assert(sendmsg(ends[0], &message, 0) == (long)sizeof sent);
  pthread_join(thread, NULL);
  return 0;
}
