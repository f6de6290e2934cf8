/* SPDX-License-Identifier: Apache-2.0
 *
 * What recvmsg() receives goes to memory of two threads, in parts; ordered by a join, so all of it is there.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>

static int ends[2], first, second;

static void *receiver(void *unused)
{
  struct iovec parts[2] = {{&first, sizeof first}, {&second, sizeof second}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  assert(recvmsg(ends[1], &message, MSG_WAITALL) == 8);
  assert(message.msg_flags == 0 && message.msg_controllen == 0);
  return unused;
}

int main(void)
{
  pthread_t thread;
  int both[2] = {1, 2};
  struct iovec part = {both, sizeof both};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pthread_create(&thread, NULL, receiver, NULL);
  assert(sendmsg(ends[0], &message, 0) == sizeof both);
  int early = __atomic_load_n(&second, __ATOMIC_SEQ_CST);
  assert(early == 0 || early == 2);
  pthread_join(thread, NULL);
  assert(first == 1 && second == 2);
  return 0;
}
