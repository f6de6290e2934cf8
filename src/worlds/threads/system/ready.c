/* SPDX-License-Identifier: Apache-2.0
 *
 * A call on a descriptor that may have to wait: made when it is ready, or piece by piece until all of it is done, and
 * never in a way that the kernel would wait. How a thread waits is for descriptor_waits.c, which calls these are for
 * those who call this.
 */
#include "worlds/threads/system/ready.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

long perform_at_once(const struct call *c, long fd)
{
  long flags = sys(SYS_fcntl, fd, F_GETFL);
  if (flags < 0 || flags & O_NONBLOCK)
    return perform(c);
  sys(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
  long result = perform(c);
  sys(SYS_fcntl, fd, F_SETFL, flags);
  return result;
}

bool descriptor_blocks(long fd)
{
  long flags = sys(SYS_fcntl, fd, F_GETFL);
  return flags >= 0 && !(flags & O_NONBLOCK);
}

/* How long a socket waits, by its options; -1: for ever. */
static int64_t socket_patience(long fd, short events)
{
  struct timeval t = {0, 0};
  socklen_t size = sizeof t;
  int option = events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO;
  if (!descriptor_blocks(fd) || sys(SYS_getsockopt, fd, SOL_SOCKET, option, &t, &size) || (!t.tv_sec && !t.tv_usec))
    return -1;
  return t.tv_sec * INT64_C(1000000000) + t.tv_usec * 1000;
}

long when_ready(const struct call *c, long fd, short events)
{
  int64_t patience = socket_patience(fd, events);
  for (uint64_t in_vain = 0;; in_vain = kernel_state()) {
    int64_t deadline;
    struct pollfd one = {.fd = (int)fd, .events = events};
    long interrupted =
        patience < 0 ? wait_for_fd(fd, events, in_vain, c->pc) : wait_for_any(&one, 1, patience, c->pc, &deadline);
    while (patience >= 0 && !interrupted && sys(SYS_poll, &one, 1L, 0L) == 0)
      switch (time_goes_on(deadline)) {
      case WAIT_IS_OVER:
        return -EAGAIN;
      case WAIT_INTERRUPTED:
        return -EINTR;
      case WAIT_GOES_ON:
        break;
      }
    if (interrupted)
      return interrupted;
    long result = perform_at_once(c, fd);
    if (result != -EAGAIN || !descriptor_blocks(fd))
      return result;
  }
}

long when_ready_or_never(const struct call *c, short events, bool never)
{
  if (!never)
    return when_ready(c, c->arg[0], events);
  look_at_fd(c->arg[0], events, c->pc);
  return perform(c);
}

/* The call for what is left of it after so many bytes, of which the first piece is enough; false if nothing is. */
static bool rest_of(const struct call *c, long done, struct call *rest)
{
  bool message = c->number == SYS_sendmsg || c->number == SYS_recvmsg;
  struct iovec all = {(void *)c->arg[1], (size_t)c->arg[2]};
  const struct iovec *v = &all;
  size_t count = 1, i = 0, skip = (size_t)done;
  *rest = *c;
  if (message) {
    const struct msghdr *m = (const struct msghdr *)c->arg[1];
    v = m->msg_iov;
    count = m->msg_iovlen;
    rest->number = c->number == SYS_sendmsg ? SYS_sendto : SYS_recvfrom;
    rest->arg[3] = c->arg[2];
    rest->arg[4] = rest->arg[5] = 0;
  } else if (c->number == SYS_writev) {
    v = (const struct iovec *)c->arg[1];
    count = (size_t)c->arg[2];
    rest->number = SYS_write;
  }
  for (; i < count && skip >= v[i].iov_len; i++)
    skip -= v[i].iov_len;
  if (i == count)
    return false;
  rest->arg[1] = (long)v[i].iov_base + (long)skip;
  rest->arg[2] = (long)(v[i].iov_len - skip);
  return true;
}

long transfer_whole(const struct call *c, short events)
{
  long fd = c->arg[0];
  struct call rest = *c;
  for (long done = 0;;) {
    long n = when_ready(&rest, fd, events);
    if (n < 0)
      return done ? done : n;
    done += n;
    if (n == 0 || !descriptor_blocks(fd) || !rest_of(c, done, &rest))
      return done;
  }
}

long or_signal(long result)
{
  if (result == -EPIPE)
    send_to_self(SIGPIPE);
  return result;
}
