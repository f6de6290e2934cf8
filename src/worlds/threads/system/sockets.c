/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls on sockets that wait for the other side: connecting, accepting, and messages. What needs no waiting (bind,
 * listen, options) is not here (descriptor_calls.c).
 */
#include "worlds/threads/system/descriptor_calls.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/ready.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* A connection that cannot be made at once: when the other side has taken it, or given it up. */
long connect_call(const struct call *c)
{
  long fd = c->arg[0];
  descriptor_released(fd);
  if (!descriptor_blocks(fd))
    return perform(c);
  long result = perform_at_once(c, fd);
  while (result == -EAGAIN) { /* no room in the queue of a Unix socket, and nothing to wait for it by */
    virtual_yield(c->pc);
    result = perform_at_once(c, fd);
  }
  if (result != -EINPROGRESS)
    return result;
  long interrupted = wait_for_fd(fd, POLLOUT, 0, c->pc);
  int error = 0;
  socklen_t size = sizeof error;
  sys(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return interrupted ? interrupted : -error;
}

long accept_call(const struct call *c)
{
  long result = when_ready(c, c->arg[0], POLLIN);
  descriptor_acquired(c->arg[0]);
  return descriptor_opened(result);
}

long shutdown_call(const struct call *c)
{
  descriptor_released(c->arg[0]);
  return UNKNOWN;
}

static bool dont_wait(const struct call *c)
{
  long flags = c->arg[c->number == SYS_recvmsg || c->number == SYS_sendmsg ? 2 : 3];
  return flags & MSG_DONTWAIT;
}

static bool is_stream(long fd)
{
  int type = 0;
  socklen_t size = sizeof type;
  return !sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_STREAM;
}

long send_call(const struct call *c)
{
  struct call quiet = *c;
  long *flags = &quiet.arg[c->number == SYS_sendmsg ? 2 : 3];
  bool signals = !(*flags & MSG_NOSIGNAL), one = c->number != SYS_sendmmsg;
  *flags |= MSG_NOSIGNAL;
  descriptor_released(c->arg[0]);
  long result = one && !dont_wait(c) && is_stream(c->arg[0]) ? transfer_whole(&quiet, POLLOUT)
                                                             : when_ready_or_never(&quiet, POLLOUT, dont_wait(c));
  return signals ? or_signal(result) : result;
}

long receive_call(const struct call *c)
{
  bool whole = c->arg[c->number == SYS_recvmsg ? 2 : 3] & MSG_WAITALL && !dont_wait(c) && is_stream(c->arg[0]);
  long result = whole ? transfer_whole(c, POLLIN) : when_ready_or_never(c, POLLIN, dont_wait(c));
  descriptor_acquired(c->arg[0]);
  return result;
}

/* As many messages as were asked for, unless it is told not to wait. */
static long receive_many(const struct call *c)
{
  struct call rest = *c;
  for (long done = 0;;) {
    long n = when_ready_or_never(&rest, POLLIN, dont_wait(c));
    if (n < 0)
      return done ? done : n;
    done += n;
    if (n == 0 || done >= c->arg[2] || c->arg[3] & (MSG_DONTWAIT | MSG_WAITFORONE) || c->arg[4] ||
        !descriptor_blocks(c->arg[0]))
      return done;
    rest.arg[1] = c->arg[1] + done * (long)sizeof(struct mmsghdr);
    rest.arg[2] = c->arg[2] - done;
  }
}

long receive_many_call(const struct call *c)
{
  long result = receive_many(c);
  descriptor_acquired(c->arg[0]);
  return result;
}
