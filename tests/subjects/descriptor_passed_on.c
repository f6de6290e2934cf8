/* SPDX-License-Identifier: Apache-2.0
 *
 * The write end of a pipe is passed to another process over a socket. The giver keeps its own, and then reads until the end,
 * which does not come as long as somebody could write: itself. The twin closes what it gave away.
 *
 * verdict: deadlock
 * threads: 2
 */
#include <assert.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

union control {
  char room[CMSG_SPACE(sizeof(int))];
  struct cmsghdr aligned;
};

static void pass(int to, int fd)
{
  char byte = 0;
  union control control;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  struct cmsghdr *c = CMSG_FIRSTHDR(&message);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(c), &fd, sizeof fd);
  assert(sendmsg(to, &message, 0) == 1);
}

static int take(int from)
{
  char byte;
  int fd;
  union control control;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  assert(recvmsg(from, &message, 0) == 1);
  memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  return fd;
}

int main(void)
{
  int pair[2], ends[2];
  char byte;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  if (fork() == 0) {
    int out = take(pair[1]);
    assert(write(out, "x", 1) == 1);
    _exit(0);
  }
  assert(pipe(ends) == 0);
  pass(pair[0], ends[1]);
#ifdef FIXED
  close(ends[1]);
#endif
  while (read(ends[0], &byte, 1) == 1)
    ;
  assert(wait(NULL) > 0);
  return 0;
}
