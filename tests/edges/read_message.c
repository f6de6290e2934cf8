/* SPDX-License-Identifier: Apache-2.0
 *
 * A message with two buffers and a descriptor travels over a socket pair.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int pair[2], ends[2];

static void *sender(void *unused)
{
  (void)unused;
  char control[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec part[2] = {{"ab", 2}, {"cd", 2}};
  struct msghdr message = {
      .msg_iov = part, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &ends[1], sizeof(int));
  assert(sendmsg(pair[0], &message, 0) == 4);
  return NULL;
}

int main(void)
{
  static char text[40000];
  char control[CMSG_SPACE(sizeof(int))], byte;
  struct iovec part[2] = {{text + 10000, 3}, {text + 30000, 3}};
  struct msghdr message = {
      .msg_iov = part, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof control};
  pthread_t thread;
  int received;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(ends) == 0);
  pthread_create(&thread, NULL, sender, NULL);
  assert(recvmsg(pair[1], &message, 0) == 4);
  assert(memcmp(text + 10000, "abc", 3) == 0 && text[30000] == 'd');
  memcpy(&received, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof received);
  assert(write(received, "x", 1) == 1);
  assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
  pthread_join(thread, NULL);
  return 0;
}
